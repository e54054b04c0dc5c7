#include "op/entry.h"

#include <cstdint>

namespace loopscope {

OperatorTable joiningOperators() {
    return {
        {.name = "concat",
         .doc = "Tensors one behind another along an axis.",
         .inputs = {variadic("x")},
         .attributes = {given(integer("axis", 0, "along which they stand"))},
         .pattern = PatternKind::Injective},
        {.name = "split",
         .doc = "A tensor cut along an axis, a part for each output.",
         .inputs = {needed("x")},
         .attributes = {integer("axis", 0, "that is cut"), given(integers("sizes", "of the parts"))},
         .mostOutputs = SIZE_MAX,
         .pattern = PatternKind::Injective},
        {.name = "tile",
         .doc = "Repeated along every axis.",
         .inputs = {needed("x"), needed("repeats")},
         .attributes = {},
         .pattern = PatternKind::Broadcast},
        {.name = "depth_to_space",
         .doc = "Channels of x[N, C, H, W] laid out as blocks of the plane.",
         .inputs = {needed("x")},
         .attributes = {given(integer("block", 0, "side of a block")),
                        text("mode", "DCR", "DCR: the block's place is the outer part of the channel, CRD: the inner")},
         .pattern = PatternKind::Injective},
        {.name = "space_to_depth",
         .doc = "Blocks of the plane of x[N, C, H, W] laid out as channels.",
         .inputs = {needed("x")},
         .attributes = {given(integer("block", 0, "side of a block"))},
         .pattern = PatternKind::Injective}};
}

} // namespace loopscope
