#include "language/picture/picture_tensor.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

namespace loopscope {

namespace {

constexpr int kMaxChannels = 4;

/// Where a channel of a pixel lies in a tensor.
struct PixelLayout {
    int64_t width = 0;
    int64_t height = 0;
    int channels = 1;
    bool planes = false;

    [[nodiscard]] size_t element(int64_t x, int64_t y, int channel) const {
        return static_cast<size_t>(planes ? (channel * height + y) * width + x : (y * width + x) * channels + channel);
    }
};

/// Planes where both would do.
std::vector<PixelLayout> layoutsOf(const std::vector<int64_t> &shape) {
    if (shape.size() == 2) return {{shape[1], shape[0], 1, false}};
    std::vector<PixelLayout> layouts;
    if (shape.size() != 3) return layouts;
    if (shape[0] <= kMaxChannels) layouts.push_back({shape[2], shape[1], static_cast<int>(shape[0]), true});
    if (shape[2] <= kMaxChannels) layouts.push_back({shape[1], shape[0], static_cast<int>(shape[2]), false});
    return layouts;
}

std::string shapeText(const std::vector<int64_t> &shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

std::string pictureText(const Picture &picture) {
    return fmt::format("{} x {} pixels of {} channel{}", picture.width, picture.height, picture.channels,
                       picture.channels == 1 ? "" : "s");
}

bool opaque(const Picture &picture) {
    for (size_t i = static_cast<size_t>(picture.channels) - 1; i < picture.samples.size();
         i += static_cast<size_t>(picture.channels))
        if (picture.samples[i] != picture.whitest()) return false;
    return true;
}

/// The layout of the tensor in which the picture fits.
std::optional<PixelLayout> fitting(const Picture &picture, const std::vector<int64_t> &shape) {
    const bool alphaSaysNothing = picture.hasAlpha() && opaque(picture);
    for (const PixelLayout &layout : layoutsOf(shape)) {
        if (layout.width != picture.width || layout.height != picture.height) continue;
        if (layout.channels == picture.channels) return layout;
        if (alphaSaysNothing && layout.channels == picture.channels - 1) return layout;
    }
    return std::nullopt;
}

} // namespace

Outcome<TensorValue> tensorOf(const Picture &picture, const std::string &name, DType dtype,
                              const std::vector<int64_t> &shape) {
    const bool samples = dtype == DType::UInt8 || dtype == DType::UInt16;
    if (!samples && !isFloat(dtype))
        return Refusal{fmt::format("a picture is no {}, which `{}` is made of; uint8, uint16 and floats are read from "
                                   "pictures, anything from .npy files",
                                   dtypeName(dtype), name)};
    if (dtype == DType::UInt8 && picture.bits == 16)
        return Refusal{fmt::format("the picture has 16 bits a sample and `{}` is uint8", name)};
    const std::optional<PixelLayout> layout = fitting(picture, shape);
    if (!layout)
        return Refusal{fmt::format("the picture has {}{}, `{}` is {}: pictures are [height, width], [channels, height, "
                                   "width] or [height, width, channels]",
                                   pictureText(picture),
                                   picture.hasAlpha() && !opaque(picture) ? ", one of them transparency" : "", name,
                                   shapeText(shape))};
    TensorValue value{dtype, shape, {}, {}};
    const size_t count = static_cast<size_t>(layout->width) * static_cast<size_t>(layout->height) *
                         static_cast<size_t>(layout->channels);
    value.floats.resize(samples ? 0 : count);
    value.integers.resize(samples ? count : 0);
    const int widened = dtype == DType::UInt16 && picture.bits == 8 ? 257 : 1;
    for (int64_t y = 0; y < picture.height; ++y)
        for (int64_t x = 0; x < picture.width; ++x)
            for (int c = 0; c < layout->channels; ++c) {
                const uint16_t sample = picture.at(x, y, c);
                const size_t at = layout->element(x, y, c);
                if (samples)
                    value.integers[at] = int64_t{sample} * widened;
                else
                    value.floats[at] =
                        static_cast<double>(static_cast<float>(sample) / static_cast<float>(picture.whitest()));
            }
    return value;
}

Outcome<PaintedPicture> pictureOf(const TensorValue &value, const std::string &name, PictureRange range) {
    const bool samples = value.dtype == DType::UInt8 || value.dtype == DType::UInt16;
    if (!samples && !isFloat(value.dtype))
        return Refusal{fmt::format("`{}` is {}; pictures are written from uint8, uint16 and floats, anything as a .npy "
                                   "file",
                                   name, dtypeName(value.dtype))};
    const std::vector<PixelLayout> layouts = layoutsOf(value.shape);
    if (layouts.empty())
        return Refusal{fmt::format("`{}` is {}; a picture is [height, width], [channels, height, width] or [height, "
                                   "width, channels], of at most {} channels",
                                   name, shapeText(value.shape), kMaxChannels)};
    const PixelLayout &layout = layouts.front();
    PaintedPicture painted;
    Picture &picture = painted.picture;
    picture.width = layout.width;
    picture.height = layout.height;
    picture.channels = layout.channels;
    picture.bits = value.dtype == DType::UInt16 ? 16 : 8;
    const double span = range.white - range.black;
    for (int64_t y = 0; y < layout.height; ++y)
        for (int64_t x = 0; x < layout.width; ++x)
            for (int c = 0; c < layout.channels; ++c) {
                const size_t at = layout.element(x, y, c);
                if (samples) {
                    picture.samples.push_back(static_cast<uint16_t>(value.integers[at]));
                    continue;
                }
                const double bright = (value.floats[at] - range.black) / span;
                if (!(bright >= 0 && bright <= 1)) ++painted.beyond; // no number neither
                const double clamped = std::isnan(bright) ? 0 : std::clamp(bright, 0.0, 1.0);
                picture.samples.push_back(static_cast<uint16_t>(std::lround(clamped * picture.whitest())));
            }
    return painted;
}

PictureRange valueRange(const TensorValue &value) {
    PictureRange range{INFINITY, -INFINITY};
    for (const double x : value.floats) {
        if (!std::isfinite(x)) continue;
        range.black = std::min(range.black, x);
        range.white = std::max(range.white, x);
    }
    return range.black < range.white ? range : PictureRange{};
}

} // namespace loopscope
