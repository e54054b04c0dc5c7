#include "deploy/dispatch/size_form.h"

#include "language/expr/interval.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace loopscope {

namespace {

/// Tiles are no longer.
constexpr int64_t kMaxDivisor = 1024;

int64_t powerOf(int64_t size, int power) { return power == 2 ? size * size : size; }

/// The factor and the offset that bring a form with factor 1 and offset 0 through the values, where some do.
std::optional<SizeForm> fitted(SizeForm form, std::span<const int64_t> sizes, std::span<const int64_t> values) {
    form.factor = 1;
    form.offset = 0;
    const int64_t first = form.at(sizes[0]);
    size_t other = 1;
    while (other < sizes.size() && form.at(sizes[other]) == first) ++other;
    if (other == sizes.size()) return std::nullopt;
    const int64_t run = form.at(sizes[other]) - first;
    const int64_t rise = values[other] - values[0];
    if (rise % run != 0 || rise == 0) return std::nullopt;
    form.factor = rise / run;
    form.offset = values[0] - form.factor * first;
    for (size_t i = 0; i < sizes.size(); ++i)
        if (form.at(sizes[i]) != values[i]) return std::nullopt;
    return form;
}

/// A multiple of a power with a rational factor: n*n*3 div 4, where the division leaves no rest at these sizes.
std::optional<SizeForm> multipleThrough(int power, std::span<const int64_t> sizes, std::span<const int64_t> values) {
    const int64_t run = powerOf(sizes[1], power) - powerOf(sizes[0], power);
    const int64_t rise = values[1] - values[0];
    if (run == 0 || rise == 0) return std::nullopt;
    const int64_t common = std::gcd(run, rise);
    SizeForm form = {.factor = 1, .scale = rise / common, .divisor = run / common, .power = power};
    if (form.divisor < 0) {
        form.scale = -form.scale;
        form.divisor = -form.divisor;
    }
    if (form.divisor > kMaxDivisor) return std::nullopt;
    const int64_t first = form.scale * powerOf(sizes[0], power);
    if (first % form.divisor != 0) return std::nullopt;
    form.offset = values[0] - first / form.divisor;
    for (size_t i = 0; i < sizes.size(); ++i)
        if (form.at(sizes[i]) != values[i] || form.scale * powerOf(sizes[i], power) % form.divisor != 0)
            return std::nullopt;
    if (form.divisor == 1) {
        form.factor = form.scale;
        form.scale = 1;
    }
    return form;
}

/// Of several dims that were fused and cut into tiles: ceil(12*n*n / 16).
std::optional<SizeForm> scaledThrough(int power, int64_t divisor, std::span<const int64_t> sizes,
                                      std::span<const int64_t> values) {
    const auto largest = static_cast<size_t>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
    const double ratio = static_cast<double>(values[largest]) * static_cast<double>(divisor) /
                         static_cast<double>(powerOf(sizes[largest], power));
    for (const int64_t scale : {static_cast<int64_t>(std::floor(ratio)), static_cast<int64_t>(std::ceil(ratio))}) {
        if (scale < 2) continue;
        for (const int64_t shift : {int64_t{0}, divisor - 1})
            if (auto form = fitted({.scale = scale, .shift = shift, .divisor = divisor, .power = power}, sizes, values))
                return form;
    }
    return std::nullopt;
}

/// Of two loops over tiles of the same size that were fused: 12*ceil(n / 8)*ceil(n / 16).
std::optional<SizeForm> tilesThrough(std::span<const int64_t> sizes, std::span<const int64_t> values) {
    constexpr int64_t maxTile = 192;
    for (int64_t divisor = 2; divisor <= maxTile; ++divisor)
        for (int64_t other = divisor; other <= maxTile; ++other)
            for (int rounding = 0; rounding < 4; ++rounding) { // whole tiles of one with all of the other, too
                SizeForm form = {.factor = 1, .divisor = divisor, .other = other};
                if (rounding == 0 || rounding == 2) form.shift = divisor - 1;
                if (rounding == 0 || rounding == 3) form.otherShift = other - 1;
                const int64_t first = form.at(sizes[0]);
                if (first == 0 || values[0] % first != 0) continue;
                form.factor = values[0] / first;
                bool all = true;
                for (size_t i = 1; i < sizes.size() && all; ++i) all = form.at(sizes[i]) == values[i];
                if (all) return form;
            }
    return std::nullopt;
}

std::string innerText(const SizeForm &form, const std::string &symbol) {
    std::string text = form.scale == 1 ? "" : fmt::format("{}*", form.scale);
    text += form.power == 2 ? fmt::format("{0}*{0}", symbol) : symbol;
    return text;
}

} // namespace

int64_t SizeForm::at(int64_t size) const {
    if (factor == 0) return offset;
    const int64_t inner = scale * powerOf(size, power) + shift;
    const int64_t divided = remainder ? floorModInt(inner, divisor) : floorDivInt(inner, divisor);
    return offset + factor * divided * (other > 0 ? (size + otherShift) / other : 1);
}

Expr SizeForm::over(Expr size) const {
    if (factor == 0) return makeInt(offset, DType::Int64);
    Expr inner = power == 2 ? size * size : size;
    inner = inner * scale + shift;
    if (divisor != 1 || remainder) inner = remainder ? floorMod(inner, divisor) : floorDiv(inner, divisor);
    if (other > 0) inner = inner * (other == 1 ? size : floorDiv(size + otherShift, other));
    return inner * factor + offset;
}

std::string SizeForm::text(const std::string &symbol) const {
    if (factor == 0) return fmt::format("{}", offset);
    std::string text = innerText(*this, symbol);
    if (remainder)
        text = fmt::format("({}{} mod {})", text, shift == 0 ? "" : fmt::format(" + {}", shift), divisor);
    else if (divisor != 1 && shift == divisor - 1)
        text = fmt::format("ceil({} / {})", text, divisor);
    else if (divisor != 1)
        text = fmt::format("floor({}{} / {})", text, shift == 0 ? "" : fmt::format(" + {}", shift), divisor);
    if (other == 1)
        text += "*" + symbol;
    else if (other > 1)
        text += fmt::format("*{}({} / {})", otherShift == 0 ? "floor" : "ceil", symbol, other);
    if (factor != 1) text = fmt::format("{}*{}", factor, text);
    if (offset != 0) text += fmt::format(" {} {}", offset < 0 ? '-' : '+', std::abs(offset));
    return text;
}

SizeRange rangeOf(const SizeForm &form, int64_t bound) {
    SizeRange range = {form.at(1), form.at(1)};
    for (int64_t size = 2; size <= bound; ++size) {
        const int64_t value = form.at(size);
        range.least = std::min(range.least, value);
        range.most = std::max(range.most, value);
    }
    return range;
}

std::optional<SizeForm> formThrough(std::span<const int64_t> sizes, std::span<const int64_t> values) {
    if (std::all_of(values.begin(), values.end(), [&](int64_t v) { return v == values[0]; }))
        return SizeForm::constant(values[0]);
    for (const int power : {1, 2})
        if (auto form = multipleThrough(power, sizes, values)) return form;
    for (int64_t divisor = 2; divisor <= kMaxDivisor; ++divisor) {
        for (const int64_t other : {0, 1})
            for (const int64_t shift : {divisor - 1, int64_t{0}})
                if (auto form = fitted({.shift = shift, .divisor = divisor, .other = other}, sizes, values))
                    return form;
        if (auto form = fitted({.divisor = divisor, .remainder = true}, sizes, values)) return form;
    }
    for (int64_t divisor = 2; divisor <= kMaxDivisor; ++divisor)
        for (const int power : {1, 2})
            if (auto form = scaledThrough(power, divisor, sizes, values)) return form;
    return tilesThrough(sizes, values);
}

} // namespace loopscope
