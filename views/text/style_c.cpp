// C and CUDA C++ as our code generators write them, and others well enough.

#include "views/text/line_scanner.h"

#include <array>

namespace loopscope {

namespace {

constexpr auto kKeywords = std::to_array<std::string_view>(
    {"_Alignas", "break", "case",     "const",  "continue", "default",  "do",     "else",    "enum",    "extern",
     "for",      "goto",  "if",       "inline", "return",   "restrict", "sizeof", "static",  "struct",  "switch",
     "typedef",  "union", "volatile", "while",  "NULL",     "true",     "false",  "alignas", "register"});
constexpr auto kCTypes = std::to_array<std::string_view>(
    {"_Bool",  "_Float16", "bool",  "char",   "double", "float",    "int",      "int16_t",  "int32_t", "int64_t",
     "int8_t", "long",     "short", "signed", "size_t", "uint16_t", "uint32_t", "uint64_t", "uint8_t", "void"});

template <size_t Size> bool contains(const std::array<std::string_view, Size> &words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// Whatever a thread can ask for its place, and what the threads of a block do together.
constexpr auto kThreadWords = std::to_array<std::string_view>(
    {"__shfl_xor_sync", "__syncthreads", "__syncwarp", "blockDim", "blockIdx", "gridDim", "threadIdx"});
constexpr auto kCudaWords =
    std::to_array<std::string_view>({"__constant__", "__device__", "__forceinline__", "__global__", "__host__",
                                     "__launch_bounds__", "__restrict__", "__shared__"});

bool isCudaType(std::string_view word) {
    if (word == "__half" || word == "half" || word == "dim3") return true;
    const bool vector = word.ends_with('2') || word.ends_with('3') || word.ends_with('4');
    if (!vector) return false;
    word.remove_suffix(1);
    if (word.starts_with('u')) word.remove_prefix(1);
    return word == "char" || word == "short" || word == "int" || word == "long" || word == "longlong" ||
           word == "float" || word == "double" || word == "half";
}

enum class Dialect : uint8_t { C, Cuda };

void styleCLike(LineScanner &scan, Dialect dialect) {
    scan.skipBlanks();
    if (scan.peek() == '#') {
        const bool omp = scan.startsWith("#pragma omp parallel");
        const bool simd = scan.startsWith("#pragma omp simd");
        const bool unroll = scan.rest().find("unroll") != std::string_view::npos;
        const CodeStyle style = omp      ? CodeStyle::Parallel
                                : simd   ? CodeStyle::Vector
                                : unroll ? CodeStyle::Unroll
                                         : CodeStyle::Quiet;
        scan.takeRest(style);
        return;
    }
    while (!scan.done()) {
        const char c = scan.peek();
        if (scan.startsWith("//")) {
            scan.takeRest(CodeStyle::Comment);
        } else if (scan.startsWith("/*")) {
            const size_t end = scan.rest().find("*/", 2);
            scan.take(end == std::string_view::npos ? scan.rest().size() : end + 2, CodeStyle::Comment);
        } else if (c == '"' || c == '\'') {
            scan.takeQuoted(CodeStyle::String);
        } else if (LineScanner::isDigit(c)) {
            scan.takeNumber();
        } else if (LineScanner::isLetter(c)) {
            const std::string_view word = scan.look(LineScanner::isWord);
            CodeStyle style = CodeStyle::Text;
            if (dialect == Dialect::Cuda && contains(kThreadWords, word))
                style = word == "blockIdx" || word == "gridDim" ? CodeStyle::BlockBound : CodeStyle::ThreadBound;
            else if (dialect == Dialect::Cuda && isCudaType(word))
                style = word == "dim3" || word.ends_with("half") ? CodeStyle::Type : CodeStyle::Vector;
            else if (contains(kKeywords, word) || (dialect == Dialect::Cuda && contains(kCudaWords, word)))
                style = CodeStyle::Keyword;
            else if (contains(kCTypes, word) || word.starts_with("__m"))
                style = CodeStyle::Type;
            else if (scan.peek(word.size()) == '(')
                style = CodeStyle::Function;
            scan.take(word.size(), style);
        } else {
            scan.take(1, CodeStyle::Text);
        }
    }
}

} // namespace

void styleC(LineScanner &scan) { styleCLike(scan, Dialect::C); }
void styleCuda(LineScanner &scan) { styleCLike(scan, Dialect::Cuda); }

} // namespace loopscope
