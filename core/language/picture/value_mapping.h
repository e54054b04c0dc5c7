#pragma once
// From values to brightness: which value is black, which white, and which numbers say so. A stage on the way need not
// lie between 0 and 1: derivatives have signs, sums are large, corners are few and far brighter than all else.

#include "language/interpret/interpreter.h"
#include "language/picture/picture_tensor.h"

#include <cstdint>

namespace loopscope {

enum class ValueMapping : uint8_t {
    Stretched, // the least black, the greatest white
    Most,      // the same without the hundredth part at either end
    Unit,      // 0 to 1
    Signed,    // around 0, as far as the value that is farthest from it
    Type,      // all that the type holds; floats as Unit
};

struct ValueFacts {
    double least = 0; // of its numbers; both 0 where it has none
    double greatest = 0;
    double low = 0; // a hundredth of them lies below
    double high = 0;
    int64_t noNumbers = 0; // infinite or NaN
};
ValueFacts factsOf(const TensorValue &value);

/// What shows most of a stage by itself: bytes as their type has them, floats that nearly all lie between 0 and 1 so,
/// those of both signs around zero, anything else from the least to the greatest, without either end where that hides
/// the rest.
ValueMapping mappingFor(DType dtype, const ValueFacts &facts);
/// Black and white; white is greater than black.
PictureRange mappedRange(ValueMapping mapping, DType dtype, const ValueFacts &facts);

} // namespace loopscope
