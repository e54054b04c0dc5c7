#include "source_tree.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace loopscope {
namespace fs = std::filesystem;

fs::path sourceRoot() { return LOOPSCOPE_SOURCE_DIR; }

std::vector<fs::path> sourceFiles(const std::string &folder) {
    std::vector<fs::path> files;
    const fs::path top = sourceRoot() / folder;
    if (!fs::exists(top)) return files;
    for (const auto &entry : fs::recursive_directory_iterator(top)) {
        const auto extension = entry.path().extension();
        if (entry.is_regular_file() && (extension == ".h" || extension == ".cpp")) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::string readText(const fs::path &path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error("cannot read " + path.string());
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::vector<std::string> splitLines(const std::string &text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

std::string shown(const fs::path &path) { return path.lexically_relative(sourceRoot()).generic_string(); }

std::string joined(const std::vector<std::string> &sentences) {
    std::string text;
    for (const auto &sentence : sentences) text += "\n  " + sentence;
    return text;
}

} // namespace loopscope
