#include "language/expr/extreme.h"
#include "language/expr/interval.h"
#include "networks/op/entry.h"
#include "networks/op/infer_rules.h"
#include "networks/op/strided_loop.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace loopscope {

namespace {

Outcome<std::vector<size_t>> reducedAxes(const OperatorUse &use) {
    const std::vector<int64_t> named = use.integers("axes");
    if (!named.empty()) return axesFrom(use, named, use.rank(0));
    std::vector<size_t> all(use.rank(0));
    std::iota(all.begin(), all.end(), size_t{0});
    return all;
}

Dims reducedDims(const Dims &dims, const std::vector<size_t> &axes, bool keep) {
    Dims left;
    for (size_t axis = 0; axis < dims.size(); ++axis) {
        const bool reduced = std::find(axes.begin(), axes.end(), axis) != axes.end();
        if (!reduced)
            left.push_back(dims[axis]);
        else if (keep)
            left.emplace_back(1);
    }
    return left;
}

enum class Fold : uint8_t { Sum, Mean, Max, Min, Product, Norm, SumOfSquares };

template <Fold fold> Inferred inferReduction(const OperatorUse &use) {
    const bool floats = fold == Fold::Mean || fold == Fold::Norm;
    if (Checked wrong = floats ? wantFloat(use, 0) : wantNumeric(use, 0)) return *wrong;
    const Outcome<std::vector<size_t>> axes = reducedAxes(use);
    if (!axes) return axes.refusal();
    // The number of elements, computed from a shape.
    std::optional<Dims> elements = use.elements(0);
    if (elements && !axes->empty() && fold == Fold::Product)
        elements = Dims{productOf(*elements)};
    else if (elements && !axes->empty() && fold == Fold::Sum)
        elements = Dims{std::accumulate(elements->begin(), elements->end(), Dim(0))};
    else
        elements.reset();
    return result(use.dtype(0), reducedDims(use.dims(0), *axes, use.integer("keep_dims") != 0), std::move(elements));
}

Inferred inferArg(const OperatorUse &use) {
    if (Checked wrong = wantNumeric(use, 0)) return *wrong;
    const Outcome<size_t> axis = axisOf(use, "axis", use.rank(0));
    if (!axis) return axis.refusal();
    if (use.dims(0)[*axis] == Dim(0))
        return refusal(use, "axis {} of x {} has no elements", *axis, dimsText(use.dims(0)));
    return result(DType::Int64, reducedDims(use.dims(0), {*axis}, use.integer("keep_dims") != 0));
}

/// Which elements of x each place of the result folds.
struct FoldedPlaces {
    std::vector<int64_t> keptDims, foldedDims;
    Strides keptStrides, foldedStrides;

    FoldedPlaces(const std::vector<int64_t> &dims, const std::vector<size_t> &axes) {
        const Strides strides = denseStrides(dims);
        for (size_t axis = 0; axis < dims.size(); ++axis) {
            const bool folded = std::find(axes.begin(), axes.end(), axis) != axes.end();
            (folded ? foldedDims : keptDims).push_back(dims[axis]);
            (folded ? foldedStrides : keptStrides).push_back(strides[axis]);
        }
        if (foldedDims.empty()) {
            foldedDims.push_back(1);
            foldedStrides.push_back(1);
        }
    }
    [[nodiscard]] int64_t kept() const { return elementCount(keptDims); }
    [[nodiscard]] int64_t folded() const { return elementCount(foldedDims); }
    static int64_t offset(int64_t place, const std::vector<int64_t> &dims, const Strides &strides, size_t axes) {
        int64_t at = 0;
        for (size_t axis = axes; axis-- > 0;) {
            at += place % dims[axis] * strides[axis];
            place /= dims[axis];
        }
        return at;
    }
    /// f(offset of a row, count, step) for the rows that a place of the result folds.
    template <typename F> void rows(int64_t place, const F &f) const {
        const int64_t count = foldedDims.back();
        if (folded() == 0) return;
        const int64_t begin = offset(place, keptDims, keptStrides, keptDims.size());
        for (int64_t row = 0; row < folded() / count; ++row)
            f(begin + offset(row, foldedDims, foldedStrides, foldedDims.size() - 1), count, foldedStrides.back());
    }
};

template <Fold fold> double foldFloats(const FoldedPlaces &places, int64_t place, const double *x) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    double total = fold == Fold::Max ? -kInfinity : fold == Fold::Min ? kInfinity : fold == Fold::Product ? 1 : 0;
    places.rows(place, [&](int64_t offset, int64_t count, int64_t step) {
        for (int64_t i = 0; i < count; ++i) {
            const double read = x[offset + i * step];
            if (fold == Fold::Sum || fold == Fold::Mean) total += read;
            if (fold == Fold::Norm || fold == Fold::SumOfSquares) total += read * read;
            if (fold == Fold::Product) total *= read;
            if (fold == Fold::Max) total = greaterOf(total, read);
            if (fold == Fold::Min) total = lesserOf(total, read);
        }
    });
    if (fold == Fold::Mean) total /= static_cast<double>(places.folded());
    if (fold == Fold::Norm) total = std::sqrt(total);
    return total;
}

template <Fold fold>
int64_t foldIntegers(const FoldedPlaces &places, int64_t place, const std::vector<int64_t> &x, DType type) {
    // Unsigned: wraps. The extremes of nothing are the ends of the type.
    const Interval ends = Interval::ofType(type);
    uint64_t total = fold == Fold::Product ? 1 : 0;
    if (fold == Fold::Max) total = static_cast<uint64_t>(ends.min);
    if (fold == Fold::Min) total = static_cast<uint64_t>(ends.max);
    places.rows(place, [&](int64_t offset, int64_t count, int64_t step) {
        for (int64_t i = 0; i < count; ++i) {
            const int64_t read = x[static_cast<size_t>(offset + i * step)];
            const auto bits = static_cast<uint64_t>(read);
            const auto before = static_cast<int64_t>(total);
            if (fold == Fold::Sum) total += bits;
            if (fold == Fold::SumOfSquares) total += bits * bits;
            if (fold == Fold::Product) total *= bits;
            if (fold == Fold::Max && read > before) total = bits;
            if (fold == Fold::Min && read < before) total = bits;
        }
    });
    return wrapToType(static_cast<int64_t>(total), type);
}

template <Fold fold>
Evaluated evaluateReduction(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    Outcome<WideTensor> y = emptyResult(use);
    if (!y) return y.refusal();
    const Outcome<std::vector<size_t>> axes = reducedAxes(use);
    if (!axes) return axes.refusal();
    const WideTensor &x = *inputs[0];
    const FoldedPlaces places(x.dims, *axes);
    inParts(pool, static_cast<int64_t>(y->size()), places.folded(), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            if (isFloat(y->dtype))
                y->floats[static_cast<size_t>(i)] = foldFloats<fold>(places, i, x.floats.data());
            else
                y->integers[static_cast<size_t>(i)] = foldIntegers<fold>(places, i, x.integers, y->dtype);
        }
    });
    return single(std::move(y).value());
}

template <bool greatest, typename T> int64_t bestIndex(const T *x, int64_t count, int64_t step, bool last) {
    int64_t best = 0;
    for (int64_t i = 1; i < count; ++i) {
        const T read = x[i * step];
        const T before = x[best * step];
        const bool none = read != read;
        const bool same = read == before || (none && before != before);
        // What is no number counts as more than any.
        const bool better = before == before && (none || (greatest ? read > before : read < before));
        if (better || (last && same)) best = i;
    }
    return best;
}

template <bool greatest>
Evaluated evaluateArg(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    Outcome<WideTensor> y = emptyResult(use);
    if (!y) return y.refusal();
    const WideTensor &x = *inputs[0];
    const Outcome<size_t> axis = axisOf(use, "axis", x.dims.size());
    if (!axis) return axis.refusal();
    const FoldedPlaces places(x.dims, {*axis});
    const bool last = use.integer("select_last") != 0;
    inParts(pool, static_cast<int64_t>(y->size()), places.folded(), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
            places.rows(i, [&](int64_t offset, int64_t count, int64_t step) {
                y->integers[static_cast<size_t>(i)] =
                    isFloat(x.dtype) ? bestIndex<greatest>(x.floats.data() + offset, count, step, last)
                                     : bestIndex<greatest>(x.integers.data() + offset, count, step, last);
            });
    });
    return single(std::move(y).value());
}

template <Fold fold> Operator reduction(const char *name, const char *doc) {
    return {.name = name,
            .doc = doc,
            .inputs = {needed("x")},
            .attributes = {integers("axes", "that are reduced; none: all"),
                           integer("keep_dims", 1, "1: reduced axes stay with extent 1")},
            .pattern = PatternKind::Reduction,
            .infer = inferReduction<fold>,
            .evaluate = evaluateReduction<fold>};
}

template <bool greatest> Operator argument(const char *name, const char *doc) {
    return {.name = name,
            .doc = doc,
            .inputs = {needed("x")},
            .attributes = {integer("axis", 0, "that is searched"),
                           integer("keep_dims", 1, "1: the axis stays with extent 1"),
                           integer("select_last", 0, "1: of equal ones the last, not the first")},
            .pattern = PatternKind::Reduction,
            .infer = inferArg,
            .evaluate = evaluateArg<greatest>};
}

} // namespace

OperatorTable reductionOperators() {
    return {reduction<Fold::Sum>("reduce_sum", "Sum along axes."),
            reduction<Fold::Mean>("reduce_mean", "Mean along axes."),
            reduction<Fold::Max>("reduce_max", "Greatest along axes."),
            reduction<Fold::Min>("reduce_min", "Least along axes."),
            reduction<Fold::Product>("reduce_prod", "Product along axes."),
            reduction<Fold::Norm>("reduce_l2", "Square root of the sum of squares along axes."),
            reduction<Fold::SumOfSquares>("reduce_sum_square", "Sum of squares along axes."),
            argument<true>("argmax", "Index of the greatest element along an axis."),
            argument<false>("argmin", "Index of the least element along an axis.")};
}

} // namespace loopscope
