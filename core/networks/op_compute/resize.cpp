// Other sizes of images by the nearest element or by linear interpolation. Places are exact fractions, so that they
// round as whoever computes them exactly does.

#include "networks/op_compute/emission.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

namespace loopscope {

namespace {

/// The place in the input of element i of the result: (factor * i + offset) / divisor; factor 0: the first for all.
struct Place {
    int64_t factor = 1;
    int64_t offset = 0;
    int64_t divisor = 1;
    [[nodiscard]] bool isIdentity() const { return factor == divisor && offset == 0; }
};

/// As numerator and denominator of at most 4096; nothing when it is no such fraction.
std::optional<std::pair<int64_t, int64_t>> fractionOf(double value) {
    for (int64_t denominator = 1; denominator <= 4096; ++denominator) {
        const double numerator = value * static_cast<double>(denominator);
        const double nearest = std::round(numerator);
        if (nearest >= 1 && std::fabs(numerator - nearest) <= 1e-6 * numerator)
            return std::pair(static_cast<int64_t>(nearest), denominator);
    }
    return std::nullopt;
}

Place placeIn(Emission &e, size_t d, int64_t in, int64_t out) {
    // Result by input = up / down.
    int64_t up = out;
    int64_t down = in;
    if (const std::vector<double> &scales = e.use().numbers("scales"); !scales.empty()) {
        const auto fraction = fractionOf(scales[d]);
        if (!fraction) e.refuse(fmt::format("its scale {} is no fraction of small numbers", scales[d]));
        std::tie(up, down) = *fraction;
    }
    const int64_t common = std::gcd(up, down);
    up /= common;
    down /= common;
    const std::string &coordinates = e.use().text("coordinates");
    if (coordinates == "asymmetric") return {down, 0, up};
    if (coordinates == "half_pixel") return {2 * down, down - up, 2 * up};
    // The length of the result as the scale has it, less one, is span / down.
    const int64_t span = in * up - down;
    if ((coordinates == "pytorch_half_pixel" || coordinates == "align_corners") && span <= 0) return {0, 0, 1};
    if (coordinates == "pytorch_half_pixel") return {2 * down, down - up, 2 * up};
    if (coordinates == "align_corners") return {(in - 1) * down, 0, span};
    if (coordinates == "tf_half_pixel_for_nn") return {2 * down, down, 2 * up};
    e.refuse(fmt::format("coordinates of kind '{}' have no tensor expression", coordinates));
}

Expr inside(Expr at, int64_t extent) { return maxOf(minOf(at, makeInt(extent - 1)), makeInt(0)); }

Expr nearestOf(Emission &e, const Place &place, Expr i) {
    const Expr numerator = i * place.factor + place.offset;
    const std::string &rounding = e.use().text("nearest");
    if (rounding == "floor") return floorDiv(numerator, place.divisor);
    if (rounding == "ceil") return floorDiv(numerator + (place.divisor - 1), place.divisor);
    if (rounding == "round_prefer_ceil") return floorDiv(numerator * 2 + place.divisor, 2 * place.divisor);
    return floorDiv(numerator * 2 + (place.divisor - 1), 2 * place.divisor);
}

/// Between the two neighbours along dimension d, and so on for those after it.
Expr interpolated(const Tensor &x, const std::vector<Place> &places, const std::vector<Expr> &index,
                  std::vector<Expr> &from, size_t d) {
    while (d < index.size() && places[d].isIdentity()) from[d] = index[d], ++d;
    if (d == index.size()) return load(x, from);
    const Place &place = places[d];
    const int64_t extent = x.shape[d];
    // Places beside the input are those at its edge.
    const Expr numerator =
        maxOf(minOf(index[d] * place.factor + place.offset, makeInt((extent - 1) * place.divisor)), makeInt(0));
    const Expr below = floorDiv(numerator, place.divisor);
    const Expr share = divide(castTo(x.dtype, floorMod(numerator, place.divisor)),
                              constantOf(static_cast<double>(place.divisor), x.dtype));
    from[d] = inside(below, extent);
    const Expr first = interpolated(x, places, index, from, d + 1);
    from[d] = inside(below + 1, extent);
    const Expr second = interpolated(x, places, index, from, d + 1);
    return first * (constantOf(1, x.dtype) - share) + second * share;
}

std::vector<const Tensor *> resize(Emission &e) {
    const Tensor &x = e.input();
    const std::vector<int64_t> shape = e.outDims();
    std::vector<Place> places;
    for (size_t d = 0; d < shape.size(); ++d) {
        places.push_back(placeIn(e, d, x.shape[d], shape[d]));
        const double reach = static_cast<double>(places[d].factor) * static_cast<double>(shape[d]);
        if (reach > double{1 << 29} || places[d].divisor > (int64_t{1} << 29))
            e.refuse("its places do not fit 32 bits");
    }
    const std::string &mode = e.use().text("mode");
    if (mode == "linear") {
        if (!isFloat(x.dtype)) e.refuse("linear interpolation needs a float type");
        return {&e.compute("resize", shape, [&](const std::vector<Expr> &index) {
            std::vector<Expr> from = index;
            return interpolated(x, places, index, from, 0);
        })};
    }
    if (mode != "nearest") e.refuse(fmt::format("mode '{}' has no tensor expression", mode));
    return {&e.compute("resize", shape, [&](const std::vector<Expr> &index) {
        std::vector<Expr> from;
        for (size_t d = 0; d < shape.size(); ++d) {
            const bool same = places[d].isIdentity() && shape[d] <= x.shape[d];
            from.push_back(same ? index[d] : inside(nearestOf(e, places[d], index[d]), x.shape[d]));
        }
        return load(x, from);
    })};
}

} // namespace

EmitTable resizeEmissions() { return {{"resize", resize}}; }

} // namespace loopscope
