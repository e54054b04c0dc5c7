#include "records/resolve/window_choices.h"

#include <algorithm>

namespace loopscope {

namespace {

constexpr int64_t kMaxDilation = 8;
constexpr int64_t kMaxStride = 16;
constexpr int64_t kMaxPoolingKernel = 16;

/// Paddings for which `in` values become `out` windows: sums from `least` to `least + stride - 1`.
void addPaddings(std::vector<WindowChoice> &choices, WindowChoice choice, int64_t in, int64_t out, int64_t most) {
    const int64_t reach = (choice.kernel - 1) * choice.dilation + 1;
    const int64_t least = (out - 1) * choice.stride + reach - in;
    const auto fits = [&](int64_t sum) { return sum >= least && sum < least + choice.stride; };
    const size_t first = choices.size();
    const auto add = [&](int64_t before, int64_t after) {
        choice.before = before;
        choice.after = after;
        if (fits(before + after) &&
            std::find(choices.begin() + static_cast<std::ptrdiff_t>(first), choices.end(), choice) == choices.end())
            choices.push_back(choice);
    };
    const int64_t same = (reach - 1) / 2;
    if (2 * same <= 2 * most) add(same, same);
    add(0, 0);
    for (int64_t pad = 1; pad <= most; ++pad) add(pad, pad);
    const int64_t sum = std::max<int64_t>(least, 0); // as little as does, the odd one behind
    if (sum <= 2 * most) add(sum / 2, sum - sum / 2);
    // Rounding up the number of windows is padding behind.
    for (int64_t pad = 0; pad <= most; ++pad) add(pad, pad + choice.stride - 1);
    if (sum <= 2 * most) add(sum, 0);
}

} // namespace

std::vector<WindowChoice> windowChoices(WindowKind kind, int64_t in, int64_t kernel, int64_t out) {
    std::vector<WindowChoice> choices;
    WindowChoice choice;
    choice.kernel = kind == WindowKind::Winograd ? 3 : kernel;
    const int64_t maxStride = std::min(kMaxStride, out == 1 ? int64_t{4} : in / out + 2);
    switch (kind) {
    case WindowKind::Winograd:
        addPaddings(choices, choice, in, out, 2);
        break;
    case WindowKind::Convolution:
        for (; choice.dilation <= (kernel == 1 ? 1 : kMaxDilation); ++choice.dilation)
            for (choice.stride = 1; choice.stride <= maxStride; ++choice.stride)
                addPaddings(choices, choice, in, out, (kernel - 1) * choice.dilation);
        break;
    case WindowKind::Pooling:
        // Windows that overlap a little or not at all come before those that skip values.
        for (choice.stride = 1; choice.stride <= maxStride; ++choice.stride)
            for (const int64_t size : {choice.stride + 1, choice.stride, int64_t{3}, int64_t{2}})
                if (choice.kernel = size; size > 1) addPaddings(choices, choice, in, out, size / 2);
        for (choice.stride = 1; choice.stride <= maxStride; ++choice.stride)
            for (choice.kernel = 1; choice.kernel <= kMaxPoolingKernel; ++choice.kernel)
                addPaddings(choices, choice, in, out, choice.kernel / 2);
        break;
    case WindowKind::Transposed:
        // By how much it grows; equal paddings on both sides, by a larger output where need be, come before others.
        for (int64_t number = 0; number <= kMaxStride; ++number) {
            const int64_t usual = std::max<int64_t>(out / in, 1);
            if (number == usual) continue;
            choice.stride = number == 0 ? usual : number;
            for (const int64_t odd : {0, 1})
                for (choice.more = 0; choice.more < choice.stride; ++choice.more) {
                    const int64_t sum = (in - 1) * choice.stride + kernel + choice.more - out;
                    if (sum < 0 || sum > 2 * (kernel - 1) || sum % 2 != odd) continue;
                    choice.before = sum / 2;
                    choice.after = sum - sum / 2;
                    choices.push_back(choice);
                }
        }
        break;
    case WindowKind::Neighbours:
        if (in != out) break;
        for (const int64_t size : {5, 3, 7, 9, 11, 13})
            choices.push_back({.kernel = size, .before = size / 2, .after = size / 2});
        break;
    }
    std::vector<WindowChoice> once; // poolings meet some windows twice
    for (const WindowChoice &one : choices)
        if (std::find(once.begin(), once.end(), one) == once.end()) once.push_back(one);
    return once;
}

} // namespace loopscope
