#include "op/entry.h"

namespace loopscope {

OperatorTable poolingOperators() {
    const AttributeSpec kernel = given(integers("kernel", "size of the window along each axis"));
    const AttributeSpec strides = integers("strides", "step of the window along each axis; none: 1");
    const AttributeSpec pads = integers("pads", "elements before each axis, then behind each; none: 0");
    const AttributeSpec ceilMode = integer("ceil_mode", 0, "1: a last window that is only partly inside counts");
    return {{.name = "max_pool",
             .doc = "Greatest element of each window of x[N, C, ...]; padding never wins.",
             .inputs = {needed("x")},
             .attributes = {kernel, strides, pads,
                            integers("dilations", "distance between the elements of the window; none: 1"), ceilMode},
             .pattern = PatternKind::OutputFusable},
            {.name = "average_pool",
             .doc = "Mean of each window of x[N, C, ...].",
             .inputs = {needed("x")},
             .attributes = {kernel, strides, pads, ceilMode,
                            integer("count_include_pad", 0, "1: padding counts as elements that are zero")},
             .pattern = PatternKind::OutputFusable},
            {.name = "global_average_pool",
             .doc = "Mean of each channel of x[N, C, ...]; the other axes stay with extent 1.",
             .inputs = {needed("x")},
             .attributes = {},
             .pattern = PatternKind::OutputFusable},
            {.name = "global_max_pool",
             .doc = "Greatest element of each channel of x[N, C, ...]; the other axes stay with extent 1.",
             .inputs = {needed("x")},
             .attributes = {},
             .pattern = PatternKind::OutputFusable}};
}

} // namespace loopscope
