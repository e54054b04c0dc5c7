// Called from Python with a function that was made there: it is called with tensors of ours, and what it did is told in
// a sentence.

#include "networks/packed/packed_function.h"
#include "networks/packed/tensor_exchange.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <vector>

using namespace loopscope;

namespace {

std::string storyOf(PackedFunctionPointer code, PackedErrorPointer whyItFailed) {
    const TensorSpec spec{DType::Float32, {2, 3}};
    const PackedSignature signature{
        .arguments = {{.name = "from", .kind = PackedCode::Tensor, .tensor = spec},
                      {.name = "to", .kind = PackedCode::Tensor, .tensor = spec, .written = true},
                      {.name = "factor", .kind = PackedCode::Float}},
        .result = PackedCode::Int};
    const PackedFunction function(
        {.name = "from_python", .code = code, .whyItFailed = whyItFailed, .signature = signature});
    const std::vector<float> numbers = {1, 2, 3, 4, 5, 6};
    const HostTensor from = floatTensor({2, 3}, numbers);
    HostTensor to = HostTensor::zeros(DType::Float32, {2, 3});
    const auto reading = TensorView::reading(from);
    const auto writing = TensorView::writing(to);
    const std::vector<PackedArgument> arguments = {reading->get(), writing->get(), 1.5};
    const auto answer = function.call(arguments);
    if (!answer) return answer.why();
    return fmt::format("{}: {}", argumentText(*answer), fmt::join(to.numbers(), " "));
}

} // namespace

extern "C" const char *loopscope_call_from_python(PackedFunctionPointer code, PackedErrorPointer whyItFailed) {
    thread_local std::string story;
    story = storyOf(code, whyItFailed);
    return story.c_str();
}
