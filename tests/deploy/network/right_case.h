#pragma once
// Folders with a model, inputs, and the right values as somebody else computed them (NumPy or ONNX Runtime):
// model.onnx, in_NAME.npy, want_NAME.npy, and perhaps meta.json with "rtol" and "atol". Such a folder is answered in
// every way in which we run networks.

#include "language/tensor/host_tensor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loopscope {

struct RightCase {
    std::string name;
    std::string model;
    std::vector<std::pair<std::string, HostTensor>> inputs; // by name of the input
    std::vector<std::pair<std::string, HostTensor>> wanted; // by name of the result
    std::optional<double> rtol;                             // none: what the type of each result allows
    std::optional<double> atol;
};

/// Of each folder inside, in alphabetical order. Throws Error for one that cannot be read.
std::vector<RightCase> rightCases(const std::string &folder);

/// How a network is run: by the reference, as a plan of compiled kernels, or by the virtual machine with them.
enum class RunWay : uint8_t { Reference, CompatiblePlan, BetterPlan, Machine };
std::string_view runWayName(RunWay way);

/// One for each result of the model. Throws Error with what is refused. Symbols among the dims are what the inputs
/// say.
std::vector<std::pair<std::string, HostTensor>> answersOf(const RightCase &of, RunWay way);

/// Empty when every result is what is wanted: |computed - wanted| <= atol + rtol |wanted| for each element, NaN where
/// NaN is wanted, and infinities where these are. Otherwise one sentence. What is thrown is a sentence, too.
std::string wrongIn(const RightCase &of, RunWay way);

} // namespace loopscope
