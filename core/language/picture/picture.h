#pragma once
// A picture in memory: rows from the top, pixels from the left, channels of a pixel together.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace loopscope {

struct Picture {
    int64_t width = 0;
    int64_t height = 0;
    int channels = 1; // grey; grey, alpha; red, green, blue; red, green, blue, alpha
    int bits = 8;     // of a sample: 8 or 16
    std::vector<uint16_t> samples;

    [[nodiscard]] bool hasAlpha() const { return channels == 2 || channels == 4; }
    [[nodiscard]] uint16_t whitest() const { return bits == 8 ? 255 : 65535; }
    [[nodiscard]] uint16_t at(int64_t x, int64_t y, int channel) const {
        return samples[static_cast<size_t>((y * width + x) * channels + channel)];
    }
};

} // namespace loopscope
