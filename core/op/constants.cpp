#include "op/entry.h"

#include <cstdint>

namespace loopscope {

OperatorTable constantOperators() {
    return {{.name = "shape",
             .doc = "The dims of a tensor, from axis start up to end (left out).",
             .inputs = {needed("x")},
             .attributes = {integer("start", 0, "first axis"), integer("end", INT64_MAX, "axis behind the last")},
             .pattern = PatternKind::Opaque},
            {.name = "constant_of_shape",
             .doc = "A tensor of given dims all of whose elements are the same.",
             .inputs = {needed("shape")},
             .attributes = {{"value", AttributeKind::Tensor, HostTensor::splat(DType::Float32, {1}, 0),
                             "the element, in a tensor of one; its type is that of the result"}},
             .pattern = PatternKind::Opaque},
            {.name = "range",
             .doc = "Numbers from start up to limit (left out), delta apart.",
             .inputs = {needed("start"), needed("limit"), needed("delta")},
             .attributes = {},
             .pattern = PatternKind::Opaque}};
}

} // namespace loopscope
