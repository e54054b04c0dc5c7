#include "op/entry.h"

namespace loopscope {

OperatorTable convolutionOperators() {
    const std::vector<AttributeSpec> window = {
        integers("strides", "step of the window along each axis; none: 1"),
        integers("pads", "zeros before each axis, then behind each; none: 0"),
        integers("dilations", "distance between the elements of the kernel; none: 1")};
    std::vector<AttributeSpec> direct = window;
    direct.push_back(integer("group", 1, "parts into which the channels fall, each with a kernel of its own"));
    std::vector<AttributeSpec> transposed = window;
    transposed.push_back(integers("output_padding", "zeros added behind each axis of the result; none: 0"));
    transposed.push_back(integer("group", 1, "parts into which the channels fall, each with a kernel of its own"));
    return {
        {.name = "conv",
         .doc = "Convolution of x[N, C, ...] with w[M, C / group, ...], plus a bias for each of M channels.",
         .inputs = {needed("x"), needed("w"), optional("b")},
         .attributes = direct,
         .pattern = PatternKind::OutputFusable},
        {.name = "conv_transpose",
         .doc = "Transposed convolution of x[N, C, ...] with w[C, M / group, ...], plus a bias for each of M channels.",
         .inputs = {needed("x"), needed("w"), optional("b")},
         .attributes = transposed,
         .pattern = PatternKind::OutputFusable}};
}

} // namespace loopscope
