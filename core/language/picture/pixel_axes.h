#pragma once
// Which axes of a tensor are looked at as a picture. Any tensor of two axes or more can be: two of them are rows and
// columns, one may be the channels of a colour, and the others are walked along: levels of brightness, distances,
// images of a batch.

#include <cstdint>
#include <optional>
#include <vector>

namespace loopscope {

struct PixelAxes {
    int rows = 0;
    int columns = 1;
    int channels = -1; // red, green, blue and perhaps opacity; -1: shades of one value
    bool operator==(const PixelAxes &) const = default;
};

/// The last two axes; the two before the last where that is short (four at most) beside them: [height, width,
/// channels]. Channels are the last or else the first other axis of three, or of four where four are a colour with its
/// opacity
/// (`fourAreColours`: an input of the workload is such a picture). None: there is one axis at most.
std::optional<PixelAxes> pixelAxesOf(const std::vector<int64_t> &shape, bool fourAreColours = false);
/// A picture of four channels, as files have them: [4, height, width] or [height, width, 4].
bool isPictureOfFour(const std::vector<int64_t> &shape);

} // namespace loopscope
