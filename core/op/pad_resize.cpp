#include "op/entry.h"

namespace loopscope {

OperatorTable resizeOperators() {
    return {
        {.name = "pad",
         .doc = "Elements added before and behind every axis, or taken away where negative.",
         .inputs = {needed("x"), needed("pads"), optional("value")},
         .attributes = {text("mode", "constant", "constant: `value`, edge: the last element, reflect: mirrored at it")},
         .pattern = PatternKind::Injective},
        {.name = "resize",
         .doc = "Another size by the nearest element or by linear interpolation.",
         .inputs = {needed("x")},
         .attributes = {text("mode", "nearest", "nearest or linear"),
                        text("coordinates", "half_pixel",
                             "half_pixel, pytorch_half_pixel, asymmetric, align_corners or tf_half_pixel_for_nn"),
                        text("nearest", "round_prefer_floor", "round_prefer_floor, round_prefer_ceil, floor or ceil"),
                        integers("sizes", "dims of the result; none: by scales"),
                        numbers("scales", "result by input, an axis each; none: by sizes")},
         .pattern = PatternKind::Injective}};
}

} // namespace loopscope
