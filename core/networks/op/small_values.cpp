#include "networks/op/small_values.h"

#include <algorithm>

namespace loopscope {

namespace {

bool isSmall(const TensorType &type) {
    const auto dims = constantDims(type.dims);
    return dims && elementCount(*dims) >= 0 && elementCount(*dims) <= kMaxKnownElements;
}

} // namespace

std::optional<std::vector<HostTensor>> smallResults(const Node &node, const Operator &of,
                                                    const std::vector<InputFact> &inputs,
                                                    const std::vector<TensorType> &outputs, ThreadPool &pool) {
    const auto known = [](const InputFact &input) { return !input.present || input.constant || input.elements; };
    if (!of.evaluate || !std::ranges::all_of(inputs, known) || !std::ranges::all_of(outputs, isSmall))
        return std::nullopt;
    std::vector<WideTensor> values(inputs.size());
    std::vector<const WideTensor *> given(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
        const InputFact &input = inputs[i];
        if (!input.present) continue;
        if (!isSmall(input.type)) return std::nullopt;
        if (input.constant) {
            values[i] = WideTensor::of(*input.constant);
        } else if (const auto elements = constantDims(*input.elements)) {
            values[i] = {input.type.dtype, *constantDims(input.type.dims), {}, *elements};
        } else {
            return std::nullopt; // of symbols
        }
        given[i] = &values[i];
    }
    const auto results = of.evaluate(OperatorUse(node, of, inputs), given, pool);
    if (!results) return std::nullopt;
    std::vector<HostTensor> narrowed;
    for (const WideTensor &result : *results) narrowed.push_back(result.narrow());
    return narrowed;
}

} // namespace loopscope
