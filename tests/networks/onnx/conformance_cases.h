#pragma once
// ONNX's own test cases as Debian installs them: a model, inputs, and the outputs there should be.

#include "network_answers.h"
#include "networks/onnx/import.h"

#include <string>
#include <vector>

namespace loopscope {

struct ConformanceCase {
    std::string name;   // "node/test_relu"
    std::string folder; // of its model.onnx
    std::vector<std::string> operators;
};

/// In alphabetical order; empty where the package libonnx-testdata is not installed.
std::vector<ConformanceCase> conformanceCases(const std::vector<std::string> &families,
                                              const std::string &folder = "/usr/share/libonnx-testdata/data");

struct CaseResult {
    enum class Kind { Passed, Refused, Failed };
    Kind kind = Kind::Failed;
    std::string why; // it did not pass
};

/// Imports the model, computes what it makes of its inputs and compares every output. An input that import has to know,
/// such as a shape, is given to it as a constant.
CaseResult runCase(const ConformanceCase &of, const Compute &compute = byReference);

} // namespace loopscope
