// Prints what tests/data/code_fingerprints.txt is to hold, or rewrites the file (--write) after a change of code that
// is meant, and then says which records changed.

#include "base/outcome.h"
#include "code_fingerprints.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>

using namespace loopscope;

namespace {

constexpr const char *kHead =
    "# Written by `build/release/bin/code_fingerprints --write` from code_records.txt; CONTRIBUTING.md says when.\n"
    "# A line is a record: for each target, MD5 of the lowered loop program's text and of the object file.\n";

int run(bool write) {
    const std::string path = codeDataFile("code_fingerprints.txt");
    const auto before = fingerprintLines(path);
    auto now = codeFingerprints(codeRecords(codeDataFile("code_records.txt")), 0);
    now.insert(now.begin(), fingerprintOrigin());
    if (!write) {
        for (const std::string &line : now) std::printf("%s\n", line.c_str());
        return 0;
    }
    std::ofstream file(path);
    file << kHead;
    for (const std::string &line : now) file << line << '\n';
    file.close();
    if (!file) throw Error(path + ": cannot be written");
    size_t changed = 0;
    for (const std::string &line : now) {
        if (std::find(before.begin(), before.end(), line) != before.end()) continue;
        std::printf("changed: %s\n", line.substr(0, line.find(':')).c_str());
        ++changed;
    }
    std::printf("%zu of %zu lines of %s changed\n", changed, now.size(), path.c_str());
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    const bool write = argc == 2 && std::strcmp(argv[1], "--write") == 0;
    if (argc > 1 && !write) {
        std::fprintf(stderr, "usage: code_fingerprints [--write]\n");
        return 2;
    }
    try {
        return run(write);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
