#pragma once
// Pictures as tensors and back. A tensor of a picture is [height, width] of one channel, planes [channels, height,
// width], or [height, width, channels]; floats reach from 0, black, to 1, white; uint8 and uint16 are samples of as
// many bits.

#include "base/outcome.h"
#include "language/interpret/interpreter.h"
#include "language/picture/picture.h"

#include <string>

namespace loopscope {

/// The input as the picture has it; 8-bit samples are widened for uint16 (times 257), an alpha that is opaque
/// everywhere is left out where the tensor has no channel for it. Refused with a sentence that names both sizes.
Outcome<TensorValue> tensorOf(const Picture &picture, const std::string &name, DType dtype,
                              const std::vector<int64_t> &shape);

struct PictureRange {
    double black = 0;
    double white = 1; // of floats
};
struct PaintedPicture {
    Picture picture;
    int64_t beyond = 0; // elements that were darker than black or whiter than white
};
/// Integers of 8 and 16 bits without a sign as they are, floats of that range as 8 bits. Refused: other types and
/// shapes.
Outcome<PaintedPicture> pictureOf(const TensorValue &value, const std::string &name, PictureRange range = {});
/// From its least to its greatest number, as a range; of none, or of one value alone, 0 to 1.
PictureRange valueRange(const TensorValue &value);

} // namespace loopscope
