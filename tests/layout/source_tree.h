#pragma once
// The checkout as data, for the tests that look at its shape.

#include <filesystem>
#include <string>
#include <vector>

namespace loopscope {

std::filesystem::path sourceRoot();

/// The .h and .cpp files below `folder` of the checkout, sorted; none where the folder does not exist.
std::vector<std::filesystem::path> sourceFiles(const std::string &folder);

std::string readText(const std::filesystem::path &path);

std::vector<std::string> splitLines(const std::string &text);

/// `path` as people write it: from the root of the checkout, with slashes.
std::string shown(const std::filesystem::path &path);

/// One sentence per line, for a failure message.
std::string joined(const std::vector<std::string> &sentences);

} // namespace loopscope
