#pragma once
// What code a fixed list of step lists becomes, as hashes: a change that should not touch the code of a kernel is shown
// not to, and one that should says which kernels it touched. The targets are fixed as well, LLVM compiles for
// processors this machine does not have.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace loopscope {

/// One step list of tests/data/code_records.txt.
struct CodeRecord {
    std::string name;     // `matmul.te M=64 N=64 #2`: its workload, and its number among the records of that
    std::string workload; // path of the .te file
    std::vector<std::pair<std::string, int64_t>> params;
    int layoutRewrite = 0;
    std::string steps; // JSON, as in a log
};

/// Throws Error (path, line) for what is neither a workload nor a record.
std::vector<CodeRecord> codeRecords(const std::string &path);

/// One line of tests/data/code_fingerprints.txt: the record's name and, for each target, the hash of the lowered loop
/// program's text and that of the object file, or the sentence it is refused with.
std::string codeFingerprint(const CodeRecord &record);

/// What code depends on beside record and target: `LLVM 19.1.7, x86_64`. The first line of the file.
std::string fingerprintOrigin();

/// The fingerprints of all, in their order.
std::vector<std::string> codeFingerprints(const std::vector<CodeRecord> &records, int threads);

/// Lines of a file, without those that begin with #.
std::vector<std::string> fingerprintLines(const std::string &path);

/// `tests/data/NAME`
std::string codeDataFile(const std::string &name);

} // namespace loopscope
