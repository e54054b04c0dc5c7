#include "networks/op/entry.h"
#include "networks/op/infer_rules.h"
#include "networks/op/strided_loop.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>

namespace loopscope {

namespace {

// Order: what is no number is greater than all numbers; of two that are equal the one with the lower index comes first,
// whichever way is sorted. Sums are taken in the order of the axis.

bool less(double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); }
bool less(int64_t a, int64_t b) { return a < b; }

/// Rows along an axis: where each begins, and from one element to the next.
struct AxisRows {
    int64_t count = 1; // rows
    int64_t extent = 1;
    int64_t step = 1;

    AxisRows(const std::vector<int64_t> &dims, size_t axis) : extent(dims[axis]) {
        for (size_t i = 0; i < dims.size(); ++i) {
            if (i != axis) count *= dims[i];
            if (i > axis) step *= dims[i];
        }
    }
    [[nodiscard]] int64_t begin(int64_t row) const { return row / step * step * extent + row % step; }
};

/// Calls f with the numbers of a tensor, whichever they are.
template <typename F> void withNumbers(const WideTensor &x, const F &f) {
    if (isFloat(x.dtype))
        f(x.floats.data());
    else
        f(x.integers.data());
}
double *numbersOf(WideTensor &y, const double * /*like*/) { return y.floats.data(); }
int64_t *numbersOf(WideTensor &y, const int64_t * /*like*/) { return y.integers.data(); }

/// Indices of a row in order; the first `first` of them at least.
template <typename T>
void order(const T *x, const AxisRows &rows, bool descending, int64_t first, std::vector<int64_t> &indices) {
    indices.resize(static_cast<size_t>(rows.extent));
    std::iota(indices.begin(), indices.end(), int64_t{0});
    const auto before = [&](int64_t a, int64_t b) {
        const T left = x[a * rows.step];
        const T right = x[b * rows.step];
        if (descending ? less(right, left) : less(left, right)) return true;
        if (descending ? less(left, right) : less(right, left)) return false;
        return a < b; // a partial sort is not stable by itself
    };
    if (first < rows.extent)
        std::partial_sort(indices.begin(), indices.begin() + static_cast<std::ptrdiff_t>(first), indices.end(), before);
    else
        std::sort(indices.begin(), indices.end(), before);
}

Inferred inferSort(const OperatorUse &use) {
    if (Checked wrong = wantNumeric(use, 0)) return *wrong;
    if (const auto axis = axisOf(use, "axis", use.rank(0)); !axis) return axis.refusal();
    return result(use.of().name == "argsort" ? DType::Int64 : use.dtype(0), use.dims(0));
}

int64_t sortCost(int64_t extent) {
    return extent * (8 + static_cast<int64_t>(std::log2(static_cast<double>(extent) + 1)));
}

/// Of `many` per row: their values, their indices, or both.
void takeInOrder(const WideTensor &x, size_t axis, bool descending, int64_t many, WideTensor *values,
                 WideTensor *indices, ThreadPool &pool) {
    const AxisRows rows(x.dims, axis);
    std::vector<int64_t> takenDims = x.dims;
    takenDims[axis] = many;
    const AxisRows taken(takenDims, axis);
    if (many == 0) return;
    withNumbers(x, [&](const auto *numbers) {
        inParts(pool, rows.count, sortCost(rows.extent), [&](int64_t begin, int64_t end) {
            std::vector<int64_t> places;
            for (int64_t row = begin; row < end; ++row) {
                const auto *from = numbers + rows.begin(row);
                order(from, rows, descending, many, places);
                for (int64_t i = 0; i < many; ++i) {
                    const int64_t to = taken.begin(row) + i * taken.step;
                    const int64_t place = places[static_cast<size_t>(i)];
                    if (values != nullptr) numbersOf(*values, numbers)[to] = from[place * rows.step];
                    if (indices != nullptr) indices->integers[static_cast<size_t>(to)] = place;
                }
            }
        });
    });
}

Evaluated evaluateSort(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    Outcome<WideTensor> y = emptyResult(use);
    if (!y) return y.refusal();
    const Outcome<size_t> axis = axisOf(use, "axis", use.rank(0));
    if (!axis) return axis.refusal();
    const bool indices = use.of().name == "argsort";
    takeInOrder(*inputs[0], *axis, use.integer("descending") != 0, inputs[0]->dims[*axis], indices ? nullptr : &*y,
                indices ? &*y : nullptr, pool);
    return single(std::move(y).value());
}

Inferred inferTopk(const OperatorUse &use) {
    if (Checked wrong = wantNumeric(use, 0)) return *wrong;
    const Outcome<size_t> axis = axisOf(use, "axis", use.rank(0));
    if (!axis) return axis.refusal();
    const int64_t k = use.integer("k");
    Dims dims = use.dims(0);
    if (k < 0 || (dims[*axis].isConstant() && k > dims[*axis].value()))
        return refusal(use, "k is {}; axis {} of x {} has elements 0 to {}", k, *axis, dimsText(use.dims(0)),
                       dims[*axis].text());
    dims[*axis] = k;
    return std::vector<InferredOutput>{{{use.dtype(0), dims}, std::nullopt}, {{DType::Int64, dims}, std::nullopt}};
}

Evaluated evaluateTopk(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    const Outcome<size_t> axis = axisOf(use, "axis", use.rank(0));
    if (!axis) return axis.refusal();
    const WideTensor &x = *inputs[0];
    const int64_t k = use.integer("k");
    std::vector<int64_t> dims = x.dims;
    if (k > dims[*axis])
        return refusal(use, "k is {}; axis {} of x {} has fewer elements", k, *axis, dimsText(asDims(x.dims)));
    dims[*axis] = k;
    std::vector<WideTensor> both = {WideTensor::zeros(x.dtype, dims), WideTensor::zeros(DType::Int64, dims)};
    takeInOrder(x, *axis, use.integer("largest") != 0, k, both.data(), both.data() + 1, pool);
    return both;
}

Inferred inferCumsum(const OperatorUse &use) {
    if (Checked wrong = wantNumeric(use, 0)) return *wrong;
    if (const auto axis = axisOf(use, "axis", use.rank(0)); !axis) return axis.refusal();
    return result(use.dtype(0), use.dims(0));
}

double sumOf(double a, double b, DType /*type*/) { return a + b; }
int64_t sumOf(int64_t a, int64_t b, DType type) {
    return wrapToType(static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)), type);
}

Evaluated evaluateCumsum(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    Outcome<WideTensor> y = emptyResult(use);
    if (!y) return y.refusal();
    const Outcome<size_t> axis = axisOf(use, "axis", use.rank(0));
    if (!axis) return axis.refusal();
    const bool exclusive = use.integer("exclusive") != 0;
    const bool reverse = use.integer("reverse") != 0;
    const WideTensor &x = *inputs[0];
    const AxisRows rows(x.dims, *axis);
    withNumbers(x, [&](const auto *numbers) {
        auto *sums = numbersOf(*y, numbers);
        inParts(pool, rows.count, rows.extent, [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) {
                auto total = std::decay_t<decltype(*numbers)>(0);
                for (int64_t i = 0; i < rows.extent; ++i) {
                    const int64_t at = rows.begin(row) + (reverse ? rows.extent - 1 - i : i) * rows.step;
                    const auto with = sumOf(total, numbers[at], x.dtype);
                    sums[at] = exclusive ? total : with;
                    total = with;
                }
            }
        });
    });
    return single(std::move(y).value());
}

/// Where the new axis of the result stands.
Outcome<size_t> newAxis(const OperatorUse &use) {
    const auto axis = axisIn(use.integer("axis"), use.rank(0) + 1);
    if (!axis)
        return refusal(use, "axis is {}; a result of rank {} has axes {} to {}", use.integer("axis"), use.rank(0) + 1,
                       -static_cast<int64_t>(use.rank(0)) - 1, use.rank(0));
    return *axis;
}

Inferred inferOneHot(const OperatorUse &use) {
    if (Checked wrong = wantIndices(use, 0)) return *wrong;
    if (Checked wrong = wantVector(use, 1, 2, "off and on")) return *wrong;
    const int64_t depth = use.integer("depth");
    if (depth < 1) return refusal(use, "depth is {}; it is at least 1", depth);
    const Outcome<size_t> axis = newAxis(use);
    if (!axis) return axis.refusal();
    Dims dims = use.dims(0);
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(*axis), Dim(depth));
    return result(use.dtype(1), std::move(dims));
}

Evaluated evaluateOneHot(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    Outcome<WideTensor> y = emptyResult(use);
    if (!y) return y.refusal();
    const Outcome<size_t> axis = newAxis(use);
    if (!axis) return axis.refusal();
    const AxisRows rows(y->dims, *axis);
    withNumbers(*inputs[1], [&](const auto *values) {
        auto *to = numbersOf(*y, values);
        inParts(pool, rows.count, rows.extent, [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) {
                // Rows in the order of the indices, whichever the axis is.
                const int64_t index = inputs[0]->integers[static_cast<size_t>(row)];
                const int64_t hot = index < 0 ? index + rows.extent : index;
                for (int64_t i = 0; i < rows.extent; ++i)
                    to[rows.begin(row) + i * rows.step] = values[i == hot ? 1 : 0];
            }
        });
    });
    return single(std::move(y).value());
}

AttributeSpec sortedAxis() { return integer("axis", -1, "that is sorted"); }

} // namespace

OperatorTable sortingOperators() {
    const AttributeSpec descending = integer("descending", 0, "1: the greatest first");
    return {
        {.name = "sort",
         .doc = "Elements along an axis in order; what is no number is the greatest.",
         .inputs = {needed("x")},
         .attributes = {sortedAxis(), descending},
         .host = true,
         .infer = inferSort,
         .evaluate = evaluateSort},
        {.name = "argsort",
         .doc = "Indices along an axis in the order of the elements; of equal ones the lower index first.",
         .inputs = {needed("x")},
         .attributes = {sortedAxis(), descending},
         .host = true,
         .infer = inferSort,
         .evaluate = evaluateSort},
        {.name = "topk",
         .doc = "The k greatest or least elements along an axis, in order, and their indices.",
         .inputs = {needed("x")},
         .attributes = {given(integer("k", 0, "how many")), sortedAxis(),
                        integer("largest", 1, "1: the greatest, 0: the least")},
         .minOutputs = 2,
         .maxOutputs = 2,
         .host = true,
         .infer = inferTopk,
         .evaluate = evaluateTopk},
        {.name = "cumsum",
         .doc = "Sums of all elements up to each along an axis.",
         .inputs = {needed("x")},
         .attributes = {given(integer("axis", 0, "along which it is summed")),
                        integer("exclusive", 0, "1: without the element itself"),
                        integer("reverse", 0, "1: from the last element on")},
         .infer = inferCumsum,
         .evaluate = evaluateCumsum},
        {.name = "one_hot",
         .doc = "A new axis that has the value `on` at the index and `off` elsewhere; negative indices count from the "
                "end.",
         .inputs = {needed("indices"), needed("values")},
         .attributes = {given(integer("depth", 0, "extent of the new axis")), integer("axis", -1, "the new one")},
         .host = true,
         .infer = inferOneHot,
         .evaluate = evaluateOneHot},
    };
}

} // namespace loopscope
