#include "op/entry.h"

namespace loopscope {

OperatorTable shapeOperators() {
    return {{.name = "reshape",
             .doc = "The same elements with other dims; 0 keeps a dim, -1 is what is left.",
             .inputs = {needed("x"), needed("shape")},
             .attributes = {integer("allow_zero", 0, "1: 0 is a dim without elements")},
             .pattern = PatternKind::Injective},
            {.name = "flatten",
             .doc = "A matrix: the axes before `axis` are its rows, the others its columns.",
             .inputs = {needed("x")},
             .attributes = {integer("axis", 1, "first axis of the columns")},
             .pattern = PatternKind::Injective},
            {.name = "transpose",
             .doc = "Axes in another order.",
             .inputs = {needed("x")},
             .attributes = {integers("permutation", "which axis of x each axis of the result is; none: reversed")},
             .pattern = PatternKind::Injective},
            {.name = "unsqueeze",
             .doc = "Axes of extent 1 put in.",
             .inputs = {needed("x")},
             .attributes = {given(integers("axes", "of the result, that are new"))},
             .pattern = PatternKind::Broadcast},
            {.name = "squeeze",
             .doc = "Axes of extent 1 taken out.",
             .inputs = {needed("x")},
             .attributes = {integers("axes", "that go; none: all of extent 1")},
             .pattern = PatternKind::Injective},
            {.name = "expand",
             .doc = "Repeated along axes of extent 1 until it has a shape, with broadcasting both ways.",
             .inputs = {needed("x"), needed("shape")},
             .attributes = {},
             .pattern = PatternKind::Broadcast},
            {.name = "dropout",
             .doc = "The input itself, as networks use it after training; the mask, if read, is all true.",
             .inputs = {needed("x")},
             .attributes = {},
             .mostOutputs = 2,
             .pattern = PatternKind::Opaque}};
}

} // namespace loopscope
