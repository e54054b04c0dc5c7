#include "networks/onnx/handlers.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace loopscope {

namespace {

Outcome<bool> checkScales(NodeImport &node, const std::vector<double> &scales) {
    if (scales.size() != node.dims(0).size())
        return Refusal{fmt::format("has {} scales, and {} has {} axes", scales.size(), typeText(node.type(node.in(0))),
                                   node.dims(0).size())};
    for (const double scale : scales)
        if (!(scale > 0) || !std::isfinite(scale))
            return Refusal{fmt::format("has the scales [{}]; they are above zero", fmt::join(scales, ", "))};
    return true;
}

/// Up to version 10 an element of the result is looked for at its place divided by the scale, rounded down.
Translated byScalesAlone(NodeImport &node, std::vector<double> scales) {
    const auto fit = checkScales(node, scales);
    if (!fit) return fit.refusal();
    std::string mode = node.text("mode", "nearest");
    if (mode == "bilinear") mode = "linear"; // as version 1 called it
    return node.finish("resize", {node.in(0)},
                       {{"mode", mode},
                        {"coordinates", std::string("asymmetric")},
                        {"nearest", std::string("floor")},
                        {"scales", std::move(scales)}});
}

Translated firstUpsample(NodeImport &node) {
    if (node.dims(0).size() != 4)
        return Refusal{
            fmt::format("has the input {}; this version is for planes of channels", typeText(node.type(node.in(0))))};
    return byScalesAlone(node, {1, 1, node.number("height_scale", 0), node.number("width_scale", 0)});
}

Translated upsampleByAttribute(NodeImport &node) { return byScalesAlone(node, node.numbers("scales")); }

Translated scaledByInput(NodeImport &node) {
    auto scales = node.numbersOf(1, "the scales");
    if (!scales) return scales.refusal();
    return byScalesAlone(node, *std::move(scales));
}

bool isEmpty(NodeImport &node, size_t i) { return !node.has(i) || (node.rank(i) == 1 && node.dims(i)[0] == Dim(0)); }

/// From version 18 on the scales or sizes may belong to some axes only; the others keep theirs, which is `rest`.
template <typename T>
Outcome<std::vector<T>> forAllAxes(NodeImport &node, std::vector<T> given, const std::vector<T> &rest) {
    const std::vector<int64_t> axes = node.integers("axes");
    if (axes.empty()) return given;
    if (axes.size() != given.size())
        return Refusal{fmt::format("has {} axes and {} numbers for them", axes.size(), given.size())};
    std::vector<T> all = rest;
    for (size_t i = 0; i < axes.size(); ++i) {
        const auto place = axisIn(axes[i], all.size());
        if (!place)
            return Refusal{
                fmt::format("has the axis {}, and {} has no such axis", axes[i], typeText(node.type(node.in(0))))};
        all[*place] = given[i];
    }
    return all;
}

Outcome<std::vector<int64_t>> wantedSizes(NodeImport &node) {
    auto sizes = node.integersOf(3, "the sizes");
    if (!sizes || node.integers("axes").empty()) return sizes;
    const auto known = constantDims(node.dims(0));
    if (!known)
        return Refusal{fmt::format("has sizes of some axes only, and those of {} must be known for the others",
                                   typeText(node.type(node.in(0))))};
    return forAllAxes(node, *std::move(sizes), *known);
}

Translated resize(NodeImport &node) {
    Attributes attributes = {{"mode", node.text("mode", "nearest")},
                             {"coordinates", node.text("coordinate_transformation_mode", "half_pixel")},
                             {"nearest", node.text("nearest_mode", "round_prefer_floor")}};
    if (!isEmpty(node, 3)) {
        auto sizes = wantedSizes(node);
        if (!sizes) return sizes.refusal();
        attributes["sizes"] = *std::move(sizes);
    } else if (!isEmpty(node, 2)) {
        const auto given = node.numbersOf(2, "the scales");
        if (!given) return given.refusal();
        auto scales = forAllAxes(node, *given, std::vector<double>(node.dims(0).size(), 1.0));
        if (!scales) return scales.refusal();
        const auto fit = checkScales(node, *scales);
        if (!fit) return fit.refusal();
        attributes["scales"] = *std::move(scales);
    } else {
        return Refusal{"has neither scales nor sizes"};
    }
    return node.finish("resize", {node.in(0)}, std::move(attributes));
}

constexpr std::string_view kResize =
    "coordinate_transformation_mode:s=half_pixel|pytorch_half_pixel|align_corners|asymmetric|tf_half_pixel_for_nn "
    "cubic_coeff_a:f exclude_outside:i=0 extrapolation_value:f mode:s=nearest|linear "
    "nearest_mode:s=round_prefer_floor|round_prefer_ceil|floor|ceil";
constexpr std::string_view kResizeSome =
    "antialias:i=0 axes:I keep_aspect_ratio_policy:s=stretch "
    "coordinate_transformation_mode:s=half_pixel|pytorch_half_pixel|align_corners|asymmetric|tf_half_pixel_for_nn "
    "cubic_coeff_a:f exclude_outside:i=0 extrapolation_value:f mode:s=nearest|linear "
    "nearest_mode:s=round_prefer_floor|round_prefer_ceil|floor|ceil";

constexpr OnnxHandler kResizes[] = {
    {"Upsample", 1, 1, 1, "height_scale:f width_scale:f mode:s=nearest|bilinear", firstUpsample},
    {"Upsample", 7, 1, 1, "mode:s=nearest|linear scales:F", upsampleByAttribute},
    {"Upsample", 9, 2, 2, "mode:s=nearest|linear", scaledByInput},
    {"Upsample", 10, 0, 0, "", nullptr},
    {"Resize", 10, 2, 2, "mode:s=nearest|linear", scaledByInput},
    {"Resize", 11, 1, 4, kResize, resize},
    {"Resize", 18, 1, 4, kResizeSome, resize},
};

} // namespace

std::span<const OnnxHandler> resizeHandlers() { return kResizes; }

} // namespace loopscope
