#pragma once
// What keeps an ONNX file from being imported. Importing goes on after a problem, so that all of a file are found at
// once.

#include <cstdint>
#include <string>
#include <vector>

namespace loopscope {

struct OnnxProblem {
    std::string node;  // name of the node, input, output or initialiser; empty: the file as a whole
    std::string op;    // the operator's name in ONNX; empty when it is not about a node
    int64_t opset = 0; // version of the operator set that the file asks for; 0 when it is not about a node
    std::string reason;

    bool operator==(const OnnxProblem &) const = default;
};

/// "Conv 'conv1' (opset 9): ...": a line of its own for people.
std::string problemText(const OnnxProblem &problem);

} // namespace loopscope
