#pragma once
// Cases of single operators with the answers there should be, a line of JSON each: what oracle/cases.py asks ONNX
// Runtime, and the fixtures that are kept of it. And the table of where we differ on purpose, or not yet.

#include "base/outcome.h"
#include "language/tensor/host_tensor.h"
#include "networks/onnx/import.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

struct OracleCase {
    std::string name; // "ReduceMax/13/float32/nan"
    std::string model;
    std::map<std::string, HostTensor> inputs;
    std::vector<std::optional<HostTensor>> outputs;
    double tolerance = 0;  // relative; 0: equal
    bool byElement = true; // relative to the element; otherwise to the greatest finite one of the tensor
    std::string refused;   // instead of outputs: a word of the sentence that it is refused with
    [[nodiscard]] std::string op() const { return name.substr(0, name.find('/')); }
};

/// Throws Error for what it cannot read, with the line.
std::vector<OracleCase> readOracleCases(const std::string &path);

/// What is wrong with the outputs, in one sentence; empty where nothing is.
std::string difference(const OracleCase &of, const std::vector<HostTensor> &outputs);

/// A row of oracle/differences.json: cases (with * for anything) that differ from ONNX Runtime, and who is right.
struct KnownDifference {
    std::string cases;
    std::string way;   // "reference", "kernels"; empty: both
    std::string says;  // a part of the sentence
    std::string right; // "ours", "theirs", "both", "unsupported"
    std::string why;
    int met = 0;
};
std::vector<KnownDifference> readDifferences(const std::string &path);
/// The row that tells of it, counted; null when there is none.
KnownDifference *findDifference(std::vector<KnownDifference> &known, const std::string &name, const std::string &way,
                                const std::string &sentence);

/// Whether the pattern, in which * stands for anything, is all of the text.
bool matches(std::string_view pattern, std::string_view text);

} // namespace loopscope
