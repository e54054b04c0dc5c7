#include "networks/op/kernel_roundings.h"

#include "base/random.h"
#include "language/expr/half.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>

namespace loopscope {

namespace {

int64_t productFrom(const std::vector<int64_t> &dims, size_t first) {
    int64_t product = 1;
    for (size_t i = first; i < dims.size(); ++i) product *= dims[i];
    return product;
}

std::vector<int64_t> integersOf(const Node &node, std::string_view name) {
    const auto found = node.attributes.find(name);
    const auto *list = found == node.attributes.end() ? nullptr : std::get_if<std::vector<int64_t>>(&found->second);
    return list ? *list : std::vector<int64_t>();
}

/// How many terms a sum has, whose roundings grow with their root where it is computed one after the other; 1 of what
/// sums in a way of its own, such as normalisations; 0 of what does not sum.
int64_t termsOf(const Node &node, std::span<const WideTensor *const> inputs) {
    static constexpr std::array own = {"add_n", "batch_norm", "instance_norm", "layer_norm",    "log_softmax",
                                       "lrn",   "resize",     "softmax",       "winograd_conv", "winograd_weight"};
    if (std::find(own.begin(), own.end(), node.op) != own.end()) return 1;
    const std::vector<int64_t> &x = inputs[0]->dims;
    if (node.op.starts_with("reduce_") && node.op != "reduce_max" && node.op != "reduce_min") {
        const std::vector<int64_t> axes = integersOf(node, "axes");
        int64_t terms = axes.empty() ? productFrom(x, 0) : 1;
        for (const int64_t axis : axes) terms *= x[static_cast<size_t>(axis < 0 ? axis + int64_t(x.size()) : axis)];
        return std::max<int64_t>(1, terms);
    }
    if (node.op == "average_pool") return std::max<int64_t>(1, productFrom(integersOf(node, "kernel"), 0));
    if (node.op == "global_average_pool") return std::max<int64_t>(1, productFrom(x, 2));
    if (node.op == "conv" || node.op == "conv_transpose") return std::max<int64_t>(1, productFrom(inputs[1]->dims, 1));
    if (node.op == "matmul" || node.op == "dense" || node.op == "gemm")
        return std::max<int64_t>(1, *std::max_element(x.end() - std::min<std::ptrdiff_t>(2, std::ssize(x)), x.end()));
    return 0;
}

} // namespace

std::vector<WideTensor> readWithRoundings(const Node &node, std::span<const WideTensor *const> inputs, uint64_t seed,
                                          uint64_t stream) {
    const int64_t terms = inputs.empty() || !inputs[0] ? 0 : termsOf(node, inputs);
    if (terms == 0) return {};
    std::vector<WideTensor> read(inputs.size());
    Random random(seed, stream);
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (!inputs[i]) continue;
        read[i] = *inputs[i];
        const double unit =
            (summedIn(read[i].dtype) == DType::Float64 ? 0x1p-53 : 0x1p-24) * std::sqrt(static_cast<double>(terms));
        for (double &number : read[i].floats) number *= 1 + unit * (2 * random.uniform() - 1);
    }
    return read;
}

double narrowRoundingOf(DType type) { return type == DType::Float16 ? 0x1p-11 : type == DType::BFloat16 ? 0x1p-8 : 0; }

void roundToItsType(WideTensor &tensor) {
    for (double &number : tensor.floats) number = roundToType(number, tensor.dtype);
}

} // namespace loopscope
