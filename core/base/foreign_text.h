#pragma once
// Text that came out of a file (names of networks, tensors and axes, targets of logs) inside text that others compile,
// run or show. Whatever it holds, it stays text there: nothing of it ends the comment or the string it stands in. Each
// language has its one function here, and all that writes that language uses it.

#include <string>
#include <string_view>

namespace loopscope {

/// In a comment of C, C++, CUDA, Python, CMake, make, assembly or LLVM's text, of a line or of several, and in a
/// docstring: one line of printable characters that ends no comment and continues on no next line.
std::string commentText(std::string_view text);

/// A string literal of C and C++ with its quotes.
std::string cString(std::string_view text);
/// A raw string literal of C++, lines as they are.
std::string cppRawString(std::string_view text);
/// A string of Python in double quotes.
std::string pythonString(std::string_view text);
/// The same of Graphviz, whose labels take a backslash for an escape of their own.
std::string dotString(std::string_view text);
/// Between tags of HTML and SVG, and in their attributes with quotes.
std::string htmlText(std::string_view text);
/// One word of a command line in a recipe of make: as the shell reads it once make has.
std::string makeWord(std::string_view text);

} // namespace loopscope
