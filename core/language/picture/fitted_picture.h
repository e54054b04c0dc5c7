#pragma once
// A picture made to fit an input that has another size, or another number of channels.

#include "language/picture/picture.h"

namespace loopscope {

enum class PictureFit : uint8_t {
    Crop,  // its middle, beginning at even rows and columns, so that mosaics of a sensor stay what they are
    Scale, // all of it that has the other's proportions; enlarged between pixels, reduced by their means
};

/// Whether it has as many rows and columns at least.
bool canCrop(const Picture &picture, int64_t width, int64_t height);
/// Cropping wants canCrop(). Of the size given, with `channels` (1 to 4): grey becomes colours, colours become grey by
/// their brightness, a missing opacity is full, one that nobody wants is left out.
Picture fittedPicture(const Picture &picture, int64_t width, int64_t height, int channels, PictureFit fit);

} // namespace loopscope
