#include "op/entry.h"

namespace loopscope {

OperatorTable indexingOperators() {
    return {{.name = "slice",
             .doc = "Part of a tensor: from starts up to ends (left out) by steps, along axes.",
             .inputs = {needed("x"), needed("starts"), needed("ends"), optional("axes"), optional("steps")},
             .attributes = {},
             .pattern = PatternKind::Injective},
            {.name = "gather",
             .doc = "Slices of an axis by index; a negative one counts from the end.",
             .inputs = {needed("x"), needed("indices")},
             .attributes = {integer("axis", 0, "of x, that is indexed")},
             .pattern = PatternKind::Injective},
            {.name = "gather_elements",
             .doc = "For each index the element of x at that place of the axis, elsewhere in the same place.",
             .inputs = {needed("x"), needed("indices")},
             .attributes = {integer("axis", 0, "of x, that is indexed")},
             .pattern = PatternKind::Injective}};
}

} // namespace loopscope
