#include "networks/onnx/handlers.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace loopscope {

namespace {

/// Lengths along the spatial axes, of which there are as many as in `kernel`.
struct Window {
    std::vector<int64_t> kernel;
    std::vector<int64_t> strides;
    std::vector<int64_t> dilations;
    std::vector<int64_t> pads; // empty where nothing is said of them
};

Outcome<std::vector<int64_t>> lengths(NodeImport &node, std::string_view name, size_t count, int64_t least,
                                      int64_t fallback) {
    std::vector<int64_t> given = node.integers(name);
    if (given.empty()) return std::vector<int64_t>(count, fallback);
    if (given.size() != count)
        return Refusal{fmt::format("attribute '{}' has {} numbers; there are {} of them", name, given.size(), count)};
    for (const int64_t value : given)
        if (value < least || value > INT32_MAX)
            return Refusal{fmt::format("attribute '{}' is [{}]; its numbers are between {} and {}", name,
                                       fmt::join(given, ", "), least, INT32_MAX)};
    return given;
}

/// The kernel is said by an attribute, or by the weights, or by both.
Outcome<std::vector<int64_t>> kernelOf(NodeImport &node, bool weights) {
    const std::vector<int64_t> given = node.integers("kernel_shape");
    for (const int64_t size : given)
        if (size < 1 || size > INT32_MAX)
            return Refusal{fmt::format("attribute 'kernel_shape' is [{}]; its numbers are between 1 and {}",
                                       fmt::join(given, ", "), INT32_MAX)};
    if (!weights) {
        if (given.empty()) return Refusal{"attribute 'kernel_shape' is missing"};
        return given;
    }
    const Dims &dims = node.dims(1);
    if (dims.size() < 3)
        return Refusal{
            fmt::format("has the weights {}; they have at least three axes", typeText(node.type(node.in(1))))};
    const auto known = constantDims({dims.begin() + 2, dims.end()});
    if (!known) return Refusal{fmt::format("has weights {} of unknown size", typeText(node.type(node.in(1))))};
    if (!given.empty() && given != *known)
        return Refusal{fmt::format("attribute 'kernel_shape' is [{}], and the weights are {}", fmt::join(given, ", "),
                                   typeText(node.type(node.in(1))))};
    return *known;
}

Outcome<Window> windowOf(NodeImport &node, bool weights) {
    Window window;
    auto kernel = kernelOf(node, weights);
    if (!kernel) return kernel.refusal();
    window.kernel = *std::move(kernel);
    const size_t count = window.kernel.size();
    if (node.dims(0).size() != count + 2)
        return Refusal{fmt::format("has the input {} and a kernel of {} axes; the input has two more",
                                   typeText(node.type(node.in(0))), count)};
    auto strides = lengths(node, "strides", count, 1, 1);
    if (!strides) return strides.refusal();
    window.strides = *std::move(strides);
    auto dilations = lengths(node, "dilations", count, 1, 1);
    if (!dilations) return dilations.refusal();
    window.dilations = *std::move(dilations);
    if (!node.integers("pads").empty()) {
        auto pads = lengths(node, "pads", 2 * count, 0, 0);
        if (!pads) return pads.refusal();
        window.pads = *std::move(pads);
    }
    return window;
}

/// Half of a total before, half behind; an odd one goes to the side that the mode names.
std::vector<int64_t> halves(const std::vector<int64_t> &totals, bool moreBehind) {
    std::vector<int64_t> pads(2 * totals.size());
    for (size_t i = 0; i < totals.size(); ++i) {
        const int64_t less = totals[i] / 2;
        pads[i] = moreBehind ? less : totals[i] - less;
        pads[totals.size() + i] = totals[i] - pads[i];
    }
    return pads;
}

/// What auto_pad comes to for the input of a convolution or pooling.
Outcome<std::vector<int64_t>> resolvedPads(NodeImport &node, const Window &window) {
    const std::string mode = node.text("auto_pad", "NOTSET");
    if (mode == "NOTSET") return window.pads;
    if (mode == "VALID") return std::vector<int64_t>();
    std::vector<int64_t> totals;
    for (size_t i = 0; i < window.kernel.size(); ++i) {
        const int64_t reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
        const int64_t stride = window.strides[i];
        const Dim size = node.dims(0)[i + 2];
        if (stride == 1) {
            totals.push_back(reach - 1); // whatever the size is
            continue;
        }
        if (!size.isConstant())
            return Refusal{
                fmt::format("attribute 'auto_pad' is {} for the input {}; with strides its size must be known", mode,
                            typeText(node.type(node.in(0))))};
        const int64_t steps = size.value() / stride + (size.value() % stride != 0 ? 1 : 0);
        const int64_t last = (std::max<int64_t>(steps, 1) - 1) * stride;
        totals.push_back(std::max<int64_t>(0, last + reach - size.value()));
    }
    return halves(totals, mode == "SAME_UPPER");
}

void addLengths(Attributes &attributes, std::string_view name, const std::vector<int64_t> &values, int64_t usual) {
    if (std::any_of(values.begin(), values.end(), [&](int64_t value) { return value != usual; }))
        attributes.emplace(name, values);
}

Translated conv(NodeImport &node) {
    const auto window = windowOf(node, true);
    if (!window) return window.refusal();
    const auto pads = resolvedPads(node, *window);
    if (!pads) return pads.refusal();
    Attributes attributes;
    addLengths(attributes, "strides", window->strides, 1);
    addLengths(attributes, "dilations", window->dilations, 1);
    addLengths(attributes, "pads", *pads, 0);
    if (const int64_t group = node.integer("group", 1); group != 1) attributes["group"] = group;
    return node.finish("conv", {node.in(0), node.in(1), node.in(2)}, std::move(attributes));
}

/// Pads and the padding of the result that give the wanted size; `wanted` is empty where strides say it.
Outcome<bool> fitTransposed(NodeImport &node, const Window &window, const std::vector<int64_t> &wanted,
                            std::vector<int64_t> &pads, std::vector<int64_t> &outputPadding) {
    const std::string mode = node.text("auto_pad", "NOTSET");
    std::vector<int64_t> totals;
    for (size_t i = 0; i < window.kernel.size(); ++i) {
        const Dim size = node.dims(0)[i + 2];
        const int64_t reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
        int64_t total = 0;
        if (wanted.empty()) {
            total = reach + outputPadding[i] - window.strides[i];
        } else {
            if (!size.isConstant() || size.value() > INT32_MAX || wanted[i] < 0 || wanted[i] > INT32_MAX)
                return Refusal{
                    fmt::format("attribute 'output_shape' is [{}] for the input {}, whose size must be known",
                                fmt::join(wanted, ", "), typeText(node.type(node.in(0))))};
            total = window.strides[i] * (size.value() - 1) + outputPadding[i] + reach - wanted[i];
        }
        // The result is larger than the input gives.
        if (total < 0) outputPadding[i] -= total;
        totals.push_back(std::max<int64_t>(total, 0));
    }
    pads = halves(totals, mode == "SAME_UPPER");
    return true;
}

Translated convTranspose(NodeImport &node) {
    const auto window = windowOf(node, true);
    if (!window) return window.refusal();
    const size_t count = window->kernel.size();
    auto outputPadding = lengths(node, "output_padding", count, 0, 0);
    if (!outputPadding) return outputPadding.refusal();
    std::vector<int64_t> wanted = node.integers("output_shape");
    // Some files give batch and channels, too.
    if (wanted.size() == count + 2) wanted.erase(wanted.begin(), wanted.begin() + 2);
    if (!wanted.empty() && wanted.size() != count)
        return Refusal{
            fmt::format("attribute 'output_shape' has {} numbers; there are {} of them", wanted.size(), count)};
    const std::string mode = node.text("auto_pad", "NOTSET");
    std::vector<int64_t> pads = mode == "NOTSET" ? window->pads : std::vector<int64_t>();
    std::vector<int64_t> behind = *std::move(outputPadding);
    if (!wanted.empty() || mode.starts_with("SAME")) {
        const auto fits = fitTransposed(node, *window, wanted, pads, behind);
        if (!fits) return fits.refusal();
    }
    Attributes attributes;
    addLengths(attributes, "strides", window->strides, 1);
    addLengths(attributes, "dilations", window->dilations, 1);
    addLengths(attributes, "pads", pads, 0);
    addLengths(attributes, "output_padding", behind, 0);
    if (const int64_t group = node.integer("group", 1); group != 1) attributes["group"] = group;
    return node.finish("conv_transpose", {node.in(0), node.in(1), node.in(2)}, std::move(attributes));
}

Outcome<Attributes> poolAttributes(NodeImport &node) {
    const auto window = windowOf(node, false);
    if (!window) return window.refusal();
    const auto pads = resolvedPads(node, *window);
    if (!pads) return pads.refusal();
    Attributes attributes = {{"kernel", window->kernel}};
    addLengths(attributes, "strides", window->strides, 1);
    addLengths(attributes, "dilations", window->dilations, 1);
    addLengths(attributes, "pads", *pads, 0);
    if (const int64_t up = node.integer("ceil_mode", 0); up != 0) attributes["ceil_mode"] = up;
    return attributes;
}

Translated maxPool(NodeImport &node) {
    if (node.outputUsed(1))
        return Refusal{"has the indices of the greatest elements as a result, which is not supported"};
    auto attributes = poolAttributes(node);
    if (!attributes) return attributes.refusal();
    return node.finish("max_pool", {node.in(0)}, *std::move(attributes));
}

Translated averagePool(NodeImport &node) {
    auto attributes = poolAttributes(node);
    if (!attributes) return attributes.refusal();
    if (attributes->contains("dilations"))
        return Refusal{"has dilations above 1, which are supported of convolutions and of MaxPool"};
    if (const int64_t include = node.integer("count_include_pad", 0); include != 0)
        (*attributes)["count_include_pad"] = include;
    return node.finish("average_pool", {node.in(0)}, *std::move(attributes));
}

template <OpName op> Translated globalPool(NodeImport &node) { return node.finish(op.text, {node.in(0)}); }

constexpr std::string_view kConv = "auto_pad:s=NOTSET|SAME_UPPER|SAME_LOWER|VALID dilations:I group:i kernel_shape:I "
                                   "pads:I strides:I";
constexpr std::string_view kTransposed = "auto_pad:s=NOTSET|SAME_UPPER|SAME_LOWER|VALID dilations:I group:i "
                                         "kernel_shape:I output_padding:I output_shape:I pads:I strides:I";

constexpr OnnxHandler kWindows[] = {
    {"Conv", 1, 2, 3, kConv, conv},
    {"ConvTranspose", 1, 2, 3, kTransposed, convTranspose},
    {"MaxPool", 1, 1, 1, "auto_pad:s=NOTSET|SAME_UPPER|SAME_LOWER|VALID kernel_shape:I pads:I strides:I", maxPool},
    {"MaxPool", 8, 1, 1,
     "auto_pad:s=NOTSET|SAME_UPPER|SAME_LOWER|VALID kernel_shape:I pads:I storage_order:i strides:I", maxPool},
    {"MaxPool", 10, 1, 1,
     "auto_pad:s=NOTSET|SAME_UPPER|SAME_LOWER|VALID ceil_mode:i=0|1 dilations:I kernel_shape:I pads:I "
     "storage_order:i strides:I",
     maxPool},
    {"AveragePool", 1, 1, 1, "auto_pad:s=NOTSET|SAME_UPPER|SAME_LOWER|VALID kernel_shape:I pads:I strides:I",
     averagePool},
    {"AveragePool", 7, 1, 1,
     "auto_pad:s=NOTSET|SAME_UPPER|SAME_LOWER|VALID count_include_pad:i=0|1 kernel_shape:I pads:I strides:I",
     averagePool},
    {"AveragePool", 10, 1, 1,
     "auto_pad:s=NOTSET|SAME_UPPER|SAME_LOWER|VALID ceil_mode:i=0|1 count_include_pad:i=0|1 kernel_shape:I pads:I "
     "strides:I",
     averagePool},
    {"AveragePool", 19, 1, 1,
     "auto_pad:s=NOTSET|SAME_UPPER|SAME_LOWER|VALID ceil_mode:i=0|1 count_include_pad:i=0|1 dilations:I kernel_shape:I "
     "pads:I strides:I",
     averagePool},
    {"GlobalAveragePool", 1, 1, 1, "", globalPool<"global_average_pool">},
    {"GlobalMaxPool", 1, 1, 1, "", globalPool<"global_max_pool">},
};

} // namespace

std::span<const OnnxHandler> windowHandlers() { return kWindows; }

} // namespace loopscope
