#include "language/picture/pixel_axes.h"

namespace loopscope {

namespace {

constexpr int64_t kMaxInPixel = 4;

bool colours(int64_t extent, bool fourAreColours) { return extent == 3 || (extent == 4 && fourAreColours); }

} // namespace

std::optional<PixelAxes> pixelAxesOf(const std::vector<int64_t> &shape, bool fourAreColours) {
    const int rank = static_cast<int>(shape.size());
    if (rank < 2) return std::nullopt;
    const auto extent = [&](int axis) { return shape[static_cast<size_t>(axis)]; };
    PixelAxes axes{rank - 2, rank - 1, -1};
    if (rank == 2) return axes;
    // Planes where both would do: a first axis as short as that leaves the last one its pixels.
    const bool planes = rank == 3 && extent(0) <= kMaxInPixel;
    if (!planes && extent(rank - 1) <= kMaxInPixel && extent(rank - 2) > kMaxInPixel &&
        extent(rank - 3) > kMaxInPixel) {
        axes = {rank - 3, rank - 2, -1};
        if (colours(extent(rank - 1), fourAreColours)) axes.channels = rank - 1;
    }
    for (int axis = 0; axis < rank && axes.channels < 0; ++axis)
        if (axis != axes.rows && axis != axes.columns && colours(extent(axis), fourAreColours)) axes.channels = axis;
    return axes;
}

bool isPictureOfFour(const std::vector<int64_t> &shape) {
    return shape.size() == 3 && pixelAxesOf(shape, true)->channels >= 0 &&
           shape[static_cast<size_t>(pixelAxesOf(shape, true)->channels)] == kMaxInPixel;
}

} // namespace loopscope
