#pragma once
// What a task of a tuning log computes, found from the key it is logged under.

#include "language/dag/compute_dag.h"

#include <memory>
#include <string>
#include <vector>

namespace loopscope {

/// A workload that has the key asked for.
struct Resolution {
    enum class Source : uint8_t {
        Pattern,  // operators of a network, known by the hash of their text
        Function, // a function-name key and a workload of that name
        File,     // a `.te` file of the user or a sample
        Table,    // the user's key table
    };
    Source source = Source::Pattern;
    /// For people, in one line: "conv2d_nhwc + bias + relu 1x56x56x64, 3x3, 128 channels, stride 2".
    std::string name;
    /// The operators of that alone, alike for all shapes: "conv2d_nhwc + bias + relu".
    std::string operators;
    /// Where it comes from, as a sentence's part: "operator pattern conv2d_nhwc", "samples/softmax.te with M = 1, N =
    /// 1000".
    std::string origin;
    /// `.te` text that makes this workload.
    std::string te;
    DagPtr dag;
};
using ResolutionPtr = std::shared_ptr<const Resolution>;

/// Shapes of the arguments, outputs last: "1x56x56x64, 3x3x64x128 -> 1x28x28x128".
std::string shapesText(const ComputeDag &dag);

} // namespace loopscope
