#include "codegen/layout/touched_lines.h"

#include "language/expr/interval.h"

#include <algorithm>
#include <numeric>

namespace loopscope {

namespace {

int64_t dividedUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Progressions of one index that lie close together are one.
std::vector<Progression> joined(std::vector<Progression> all) {
    std::erase_if(all, [](const Progression &one) { return one.count <= 1; });
    std::stable_sort(all.begin(), all.end(),
                     [](const Progression &a, const Progression &b) { return a.distance < b.distance; });
    std::vector<Progression> result;
    for (const Progression &one : all) {
        if (!result.empty()) {
            Progression &last = result.back();
            if (one.distance % last.distance == 0 && one.distance <= last.distance * last.count) {
                last.count += (one.count - 1) * (one.distance / last.distance);
                continue;
            }
        }
        result.push_back(one);
    }
    return result;
}

/// Of the numbers v that progressions make, the numbers (v mod modulus) div step.
std::vector<Progression> digitOf(const std::vector<Progression> &all, int64_t modulus, int64_t step) {
    std::vector<Progression> result;
    for (Progression one : all) {
        if (modulus > 0) {
            if (one.distance % modulus == 0) continue;
            if (modulus % one.distance == 0) {
                one.count = std::min(one.count, modulus / one.distance);
            } else if (one.distance * (one.count - 1) >=
                       modulus) { // comes by everywhere, in steps of what divides both
                const int64_t common = std::gcd(one.distance, modulus);
                one = {.distance = common, .count = std::min(one.count, modulus / common)};
            }
        }
        if (step > 1) {
            if (one.distance % step == 0)
                one.distance /= step;
            else if (one.distance < step)
                one = {.distance = 1, .count = dividedUp((one.count - 1) * one.distance + 1, step)};
            else
                one.distance = std::max<int64_t>(one.distance / step, 1);
        }
        if (one.count > 1) result.push_back(one);
    }
    return joined(std::move(result));
}

/// Of one axis' index while the loops run.
std::vector<Progression> progressionsOf(const AccessNest &nest, const AxisIndex &index, int64_t extent,
                                        const std::vector<bool> &runs) {
    std::vector<Progression> all;
    for (const IndexPart &part : index) {
        std::vector<Progression> sum;
        int64_t times = 1;
        for (const auto &[loop, coefficient] : part.terms) {
            if (!runs[static_cast<size_t>(loop)]) continue;
            const int64_t count = nest.loops[static_cast<size_t>(loop)].extent;
            sum.push_back({.distance = std::abs(coefficient), .count = count});
            times = mulSaturating(times, count);
        }
        if (part.anywhere) sum = {{.distance = 1, .count = std::min(times, extent)}};
        if (part.spread > 0) sum.push_back({.distance = part.grain, .count = part.spread / part.grain + 1});
        for (Progression one : digitOf(joined(std::move(sum)), part.modulus, part.step)) {
            one.distance *= std::abs(part.scale);
            all.push_back(one);
        }
    }
    all = joined(std::move(all));
    for (Progression &one : all)
        if (one.distance > 0) one.count = std::min(one.count, dividedUp(extent, one.distance));
    return all;
}

int64_t indexAt(const AxisIndex &index, const std::vector<int64_t> &at) {
    int64_t value = 0;
    for (const IndexPart &part : index) {
        int64_t sum = part.constant;
        for (const auto &[loop, coefficient] : part.terms) sum += coefficient * at[static_cast<size_t>(loop)];
        if (part.modulus > 0) sum = floorModInt(sum, part.modulus);
        value += floorDivInt(sum, part.step) * part.scale;
    }
    return value;
}

bool mentions(const NestAccess &access, int loop) {
    for (const AxisIndex &index : access.index)
        for (const IndexPart &part : index)
            for (const auto &[mentioned, coefficient] : part.terms)
                if (mentioned == loop) return true;
    return false;
}

} // namespace

int64_t offsetAt(const NestAccess &access, const Layout &layout, const std::vector<int64_t> &at) {
    std::vector<int64_t> index;
    for (size_t d = 0; d < access.index.size(); ++d)
        index.push_back(std::clamp<int64_t>(indexAt(access.index[d], at), 0, layout.shape()[d] - 1));
    return layout.offsetOf(index);
}

TouchedBytes touchedBytes(const AccessNest &nest, const NestAccess &access, const PlacedTensor &placement,
                          const std::vector<bool> &runs, const std::vector<int64_t> &at) {
    const Layout &layout = placement.layout;
    const int64_t bytes = nest.tensors[static_cast<size_t>(access.tensor)].elementBytes;
    const std::vector<bool> everything(nest.loops.size(), true);
    TouchedBytes touched;
    touched.run = bytes;
    std::vector<Progression> strides;
    std::vector<int64_t> outside; // strides of all loops, those that stand still included
    for (size_t p = 0; p < layout.pieces().size(); ++p) {
        const LayoutPiece &piece = layout.pieces()[p];
        const auto d = static_cast<size_t>(piece.axis);
        const int64_t stride = layout.strideOf(p) * bytes;
        const auto digits = [&](const std::vector<bool> &which) {
            return digitOf(progressionsOf(nest, access.index[d], layout.shape()[d], which), layout.blockOf(p),
                           piece.step);
        };
        for (const Progression &one : digits(runs))
            strides.push_back({.distance = one.distance * stride, .count = std::min(one.count, layout.extentOf(p))});
        for (const Progression &one : digits(everything)) outside.push_back(one.distance * stride);
    }
    std::stable_sort(strides.begin(), strides.end(),
                     [](const Progression &a, const Progression &b) { return a.distance < b.distance; });
    for (const Progression &one : strides) {
        if (one.distance <= touched.run && touched.apart.empty())
            touched.run += one.distance * (one.count - 1);
        else
            touched.apart.push_back(one);
    }
    touched.grain = 0;
    for (const int64_t stride : outside)
        if (stride >= touched.run || touched.run == bytes) touched.grain = std::gcd(touched.grain, stride);
    // Strides inside the run of loops that stand still move its beginning, too.
    for (size_t loop = 0; loop < nest.loops.size(); ++loop)
        if (!runs[loop])
            touched.grain =
                std::gcd(touched.grain, strideAlong(nest, access, placement, static_cast<int>(loop)) * bytes);
    std::vector<int64_t> here = at;
    for (size_t loop = 0; loop < here.size(); ++loop)
        if (runs[loop]) here[loop] = 0;
    touched.first = placement.base + offsetAt(access, layout, here) * bytes;
    return touched;
}

int64_t strideAlong(const AccessNest &nest, const NestAccess &access, const PlacedTensor &placement, int loop) {
    if (nest.loops[static_cast<size_t>(loop)].extent < 2 || !mentions(access, loop)) return 0;
    std::vector<int64_t> at(nest.loops.size(), 0);
    const int64_t from = offsetAt(access, placement.layout, at);
    at[static_cast<size_t>(loop)] = 1;
    return std::abs(offsetAt(access, placement.layout, at) - from);
}

double TouchedBytes::lines(int64_t lineBytes) const {
    double runs = 1;
    int64_t length = run;
    for (const Progression &one : apart) {
        // Gaps shorter than a line leave no line out.
        if (runs == 1 && one.distance < length + lineBytes && one.distance - length < lineBytes && length >= lineBytes)
            length += one.distance * (one.count - 1);
        else if (runs == 1 && one.distance <= lineBytes)
            length += one.distance * (one.count - 1);
        else
            runs *= static_cast<double>(one.count);
    }
    const int64_t step = std::gcd(grain == 0 ? lineBytes : grain, lineBytes);
    // A run begins at each multiple of `step` in a line as often; where the first does not, at those beside it.
    int64_t sum = 0;
    for (int64_t begin = ((first % step) + step) % step; begin < lineBytes; begin += step)
        sum += (begin + length - 1) / lineBytes + 1;
    return runs * static_cast<double>(sum) / static_cast<double>(lineBytes / step);
}

std::vector<int64_t> TouchedBytes::lineNumbers(int64_t lineBytes, size_t most) const {
    std::vector<int64_t> begins = {first};
    int64_t length = run;
    for (const Progression &one : apart) {
        if (begins.size() == 1 && one.distance <= lineBytes) { // no line between is left out
            length += one.distance * (one.count - 1);
            continue;
        }
        if (begins.size() * static_cast<size_t>(one.count) > most) return {};
        const size_t before = begins.size();
        for (int64_t i = 1; i < one.count; ++i)
            for (size_t k = 0; k < before; ++k) begins.push_back(begins[k] + i * one.distance);
    }
    std::vector<int64_t> lines;
    if (begins.size() * static_cast<size_t>(length / lineBytes + 1) > most) return {};
    for (const int64_t begin : begins)
        for (int64_t line = floorDivInt(begin, lineBytes); line <= floorDivInt(begin + length - 1, lineBytes); ++line)
            lines.push_back(line);
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    return lines;
}

} // namespace loopscope
