#include "language/picture/fitted_picture.h"

#include "base/check.h"

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

/// A part of a line of pixels, as weights of its pixels from `first` on.
struct Weighed {
    int64_t first = 0;
    std::vector<double> weights;
};

/// Pixel `at` of `count` that stand for the pixels from `begin` on, `each` for one.
Weighed weighed(int64_t at, double begin, double each, int64_t length) {
    Weighed part;
    if (each <= 1) { // between the middles of two pixels
        const double middle = begin + (static_cast<double>(at) + 0.5) * each - 0.5;
        const double low = std::floor(middle);
        part.first = std::clamp<int64_t>(static_cast<int64_t>(low), 0, length - 1);
        const double upper = static_cast<int64_t>(low) < 0 || part.first + 1 >= length ? 0 : middle - low;
        part.weights = {1 - upper};
        if (upper > 0) part.weights.push_back(upper);
        return part;
    }
    const double from = begin + static_cast<double>(at) * each;
    const double to = std::min(from + each, static_cast<double>(length));
    part.first = std::clamp<int64_t>(static_cast<int64_t>(from), 0, length - 1);
    for (int64_t i = part.first; i < length && static_cast<double>(i) < to; ++i)
        part.weights.push_back((std::min(to, static_cast<double>(i + 1)) - std::max(from, static_cast<double>(i))) /
                               (to - from));
    return part;
}

Picture scaled(const Picture &picture, int64_t width, int64_t height) {
    const double each = std::min(static_cast<double>(picture.width) / static_cast<double>(width),
                                 static_cast<double>(picture.height) / static_cast<double>(height));
    const double left = (static_cast<double>(picture.width) - each * static_cast<double>(width)) / 2;
    const double top = (static_cast<double>(picture.height) - each * static_cast<double>(height)) / 2;
    Picture made{width, height, picture.channels, picture.bits, {}};
    made.samples.reserve(static_cast<size_t>(width * height * picture.channels));
    std::vector<Weighed> columns;
    for (int64_t x = 0; x < width; ++x) columns.push_back(weighed(x, left, each, picture.width));
    for (int64_t y = 0; y < height; ++y) {
        const Weighed rows = weighed(y, top, each, picture.height);
        for (const Weighed &column : columns)
            for (int c = 0; c < picture.channels; ++c) {
                double sum = 0;
                for (size_t r = 0; r < rows.weights.size(); ++r)
                    for (size_t i = 0; i < column.weights.size(); ++i)
                        sum +=
                            rows.weights[r] * column.weights[i] *
                            picture.at(column.first + static_cast<int64_t>(i), rows.first + static_cast<int64_t>(r), c);
                made.samples.push_back(static_cast<uint16_t>(std::lround(sum)));
            }
    }
    return made;
}

Picture cropped(const Picture &picture, int64_t width, int64_t height) {
    const int64_t left = (picture.width - width) / 4 * 2;
    const int64_t top = (picture.height - height) / 4 * 2;
    Picture made{width, height, picture.channels, picture.bits, {}};
    for (int64_t y = 0; y < height; ++y)
        for (int64_t x = 0; x < width; ++x)
            for (int c = 0; c < picture.channels; ++c) made.samples.push_back(picture.at(left + x, top + y, c));
    return made;
}

uint16_t brightness(const Picture &picture, int64_t x, int64_t y) {
    if (picture.channels < 3) return picture.at(x, y, 0);
    return static_cast<uint16_t>(
        std::lround(0.299 * picture.at(x, y, 0) + 0.587 * picture.at(x, y, 1) + 0.114 * picture.at(x, y, 2)));
}

Picture withChannels(const Picture &picture, int channels) {
    if (channels == picture.channels) return picture;
    Picture made{picture.width, picture.height, channels, picture.bits, {}};
    made.samples.reserve(static_cast<size_t>(made.width * made.height * channels));
    for (int64_t y = 0; y < picture.height; ++y)
        for (int64_t x = 0; x < picture.width; ++x) {
            const int colours = made.hasAlpha() ? channels - 1 : channels;
            for (int c = 0; c < colours; ++c)
                made.samples.push_back(colours == 1           ? brightness(picture, x, y)
                                       : picture.channels < 3 ? picture.at(x, y, 0)
                                                              : picture.at(x, y, c));
            if (made.hasAlpha())
                made.samples.push_back(picture.hasAlpha() ? picture.at(x, y, picture.channels - 1) : picture.whitest());
        }
    return made;
}

} // namespace

bool canCrop(const Picture &picture, int64_t width, int64_t height) {
    return picture.width >= width && picture.height >= height;
}

Picture fittedPicture(const Picture &picture, int64_t width, int64_t height, int channels, PictureFit fit) {
    LOOPSCOPE_CHECK(channels >= 1 && channels <= 4, "a picture of no channels");
    LOOPSCOPE_CHECK(fit == PictureFit::Scale || canCrop(picture, width, height), "a picture too small to be cropped");
    const bool same = picture.width == width && picture.height == height;
    const Picture sized = same                      ? picture
                          : fit == PictureFit::Crop ? cropped(picture, width, height)
                                                    : scaled(picture, width, height);
    return withChannels(sized, channels);
}

} // namespace loopscope
