#include "networks/op/entry.h"
#include "networks/op/infer_rules.h"
#include "networks/op/strided_loop.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace loopscope {

namespace {

/// Of a slice along one axis.
struct Cut {
    size_t axis = 0;
    Dim start;
    Dim end;
    int64_t step = 1;
};

Outcome<std::vector<Cut>> cutsOf(const OperatorUse &use) {
    const Outcome<Dims> starts = knownElements(use, 1);
    if (!starts) return starts.refusal();
    const Outcome<Dims> ends = knownElements(use, 2);
    if (!ends) return ends.refusal();
    std::vector<int64_t> axes(starts->size());
    std::iota(axes.begin(), axes.end(), int64_t{0});
    std::vector<int64_t> steps(starts->size(), 1);
    for (const size_t input : {size_t{3}, size_t{4}}) {
        if (!use.has(input)) continue;
        Outcome<std::vector<int64_t>> numbers = knownNumbers(use, input);
        if (!numbers) return numbers.refusal();
        (input == 3 ? axes : steps) = std::move(numbers).value();
    }
    if (ends->size() != starts->size() || axes.size() != starts->size() || steps.size() != starts->size())
        return refusal(use, "there are {} starts, {} ends, {} axes and {} steps", starts->size(), ends->size(),
                       axes.size(), steps.size());
    if (const auto checked = axesFrom(use, axes, use.rank(0)); !checked) return checked.refusal();
    std::vector<Cut> cuts;
    for (size_t i = 0; i < axes.size(); ++i) {
        if (steps[i] == 0 || steps[i] == INT64_MIN) return refusal(use, "a step is {}", steps[i]);
        cuts.push_back({*axisIn(axes[i], use.rank(0)), (*starts)[i], (*ends)[i], steps[i]});
    }
    return cuts;
}

/// With numbers: first index and count.
std::pair<int64_t, int64_t> numbersOf(const Cut &cut, int64_t extent) {
    const auto place = [&](int64_t index, int64_t least, int64_t most) {
        if (index < 0) index = index < -extent ? least : index + extent;
        return std::clamp(index, least, most);
    };
    if (extent == 0) return {0, 0};
    if (cut.step > 0) {
        const int64_t start = place(cut.start.value(), 0, extent);
        const int64_t end = place(cut.end.value(), 0, extent);
        return {start, end <= start ? 0 : (end - start - 1) / cut.step + 1};
    }
    const int64_t start = place(cut.start.value(), 0, extent - 1);
    const int64_t end = cut.end.value() < -extent ? -1 : place(cut.end.value(), -1, extent - 1);
    return {start, start <= end ? 0 : (start - end - 1) / -cut.step + 1};
}

/// Of an axis of which it is not known how long it is; nothing where the count depends on more than that it is long
/// enough.
std::optional<Dim> symbolicCount(const Cut &cut, const Dim &extent) {
    if (cut.step < 1) return std::nullopt;
    const auto placed = [&](const Dim &index) -> std::optional<Dim> {
        if (index == extent) return extent;
        if (!index.isConstant()) return std::nullopt;
        if (index.value() >= INT32_MAX) return extent;
        if (index.value() < 0) return extent + index;
        return index;
    };
    const auto start = placed(cut.start);
    const auto end = placed(cut.end);
    if (!start || !end) return std::nullopt;
    const Dim length = *end - *start;
    // A number of elements from the front or up to the end may be more than there are.
    if (length.isConstant() && *end != extent + cut.end) return std::nullopt;
    return Dim::ceilDiv(length, cut.step);
}

Inferred inferSlice(const OperatorUse &use) {
    const Outcome<std::vector<Cut>> cuts = cutsOf(use);
    if (!cuts) return cuts.refusal();
    Dims dims = use.dims(0);
    std::optional<Dims> elements = use.elements(0);
    for (const Cut &cut : *cuts) {
        Dim &dim = dims[cut.axis];
        if (dim.isConstant() && cut.start.isConstant() && cut.end.isConstant()) {
            const auto [first, count] = numbersOf(cut, dim.value());
            if (elements) {
                Dims part;
                for (int64_t i = 0; i < count; ++i)
                    part.push_back((*elements)[static_cast<size_t>(first + i * cut.step)]);
                elements = std::move(part);
            }
            dim = count;
            continue;
        }
        const auto count = symbolicCount(cut, dim);
        if (!count)
            return refusal(use, "how many elements of axis {} of extent {} there are from {} to {} is not known",
                           cut.axis, dim.text(), cut.start.text(), cut.end.text());
        dim = *count;
        elements.reset();
    }
    return result(use.dtype(0), std::move(dims), std::move(elements));
}

Evaluated evaluateSlice(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    Outcome<WideTensor> y = emptyResult(use);
    if (!y) return y.refusal();
    const Outcome<std::vector<Cut>> cuts = cutsOf(use);
    if (!cuts) return cuts.refusal();
    const WideTensor &x = *inputs[0];
    const Strides own = denseStrides(x.dims);
    Strides strides = own;
    int64_t offset = 0;
    for (const Cut &cut : *cuts) {
        const auto [first, count] = numbersOf(cut, x.dims[cut.axis]);
        offset += first * own[cut.axis];
        // Of one element there is no step, however large it is.
        strides[cut.axis] = count > 1 ? own[cut.axis] * cut.step : 0;
    }
    copyStrided(y->dims, x, offset, strides, *y, 0, denseStrides(y->dims), pool);
    return single(std::move(y).value());
}

Inferred inferGather(const OperatorUse &use) {
    if (Checked wrong = wantIndices(use, 1)) return *wrong;
    const Outcome<size_t> axis = axisOf(use, "axis", use.rank(0));
    if (!axis) return axis.refusal();
    const Dims &x = use.dims(0);
    Dims dims(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(*axis));
    dims.insert(dims.end(), use.dims(1).begin(), use.dims(1).end());
    dims.insert(dims.end(), x.begin() + static_cast<std::ptrdiff_t>(*axis) + 1, x.end());
    const auto indices = use.elements(1);
    if (!indices || !constantDims(*indices)) return result(use.dtype(0), std::move(dims));
    std::optional<Dims> elements = use.elements(0) ? std::optional<Dims>(Dims{}) : std::nullopt;
    const Dim &extent = x[*axis];
    for (const Dim &index : *indices) {
        int64_t at = index.value();
        if (!extent.isConstant()) continue;
        if (at < -extent.value() || at >= extent.value())
            return refusal(use, "index {} is outside of axis {} of x {}", at, *axis, dimsText(x));
        if (at < 0) at += extent.value();
        if (elements) elements->push_back((*use.elements(0))[static_cast<size_t>(at)]);
    }
    return result(use.dtype(0), std::move(dims), std::move(elements));
}

Evaluated evaluateGather(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    Outcome<WideTensor> y = emptyResult(use);
    if (!y) return y.refusal();
    const WideTensor &x = *inputs[0];
    const Outcome<size_t> axis = axisOf(use, "axis", x.dims.size());
    if (!axis) return axis.refusal();
    const std::vector<int64_t> &indices = inputs[1]->integers;
    const int64_t extent = x.dims[*axis];
    std::vector<int64_t> rows;
    for (const int64_t index : indices) {
        if (index < -extent || index >= extent)
            return refusal(use, "index {} is outside of axis {} of x {}", index, *axis, dimsText(use.dims(0)));
        rows.push_back(index < 0 ? index + extent : index);
    }
    int64_t outer = 1;
    int64_t inner = 1;
    for (size_t i = 0; i < x.dims.size(); ++i) {
        if (i < *axis) outer *= x.dims[i];
        if (i > *axis) inner *= x.dims[i];
    }
    const auto count = static_cast<int64_t>(rows.size());
    inParts(pool, outer * count, inner, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            const int64_t from = (i / count * extent + rows[static_cast<size_t>(i % count)]) * inner;
            if (isFloat(x.dtype))
                std::copy_n(x.floats.data() + from, inner, y->floats.data() + i * inner);
            else
                std::copy_n(x.integers.data() + from, inner, y->integers.data() + i * inner);
        }
    });
    return single(std::move(y).value());
}

Inferred inferGatherElements(const OperatorUse &use) {
    if (Checked wrong = wantIndices(use, 1)) return *wrong;
    const Outcome<size_t> axis = axisOf(use, "axis", use.rank(0));
    if (!axis) return axis.refusal();
    const Dims &x = use.dims(0);
    const Dims &indices = use.dims(1);
    if (indices.size() != x.size())
        return refusal(use, "indices {} and x {} are of different rank", dimsText(indices), dimsText(x));
    for (size_t i = 0; i < x.size(); ++i) {
        const Dim more = indices[i] - x[i];
        if (i != *axis && more.isConstant() && more.value() > 0)
            return refusal(use, "indices {} reach beyond axis {} of x {}", dimsText(indices), i, dimsText(x));
    }
    return result(use.dtype(0), indices);
}

Evaluated evaluateGatherElements(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &) {
    Outcome<WideTensor> y = emptyResult(use);
    if (!y) return y.refusal();
    const WideTensor &x = *inputs[0];
    const std::vector<int64_t> &indices = inputs[1]->integers;
    const Outcome<size_t> axis = axisOf(use, "axis", x.dims.size());
    if (!axis) return axis.refusal();
    const Strides own = denseStrides(x.dims);
    const int64_t extent = x.dims[*axis];
    for (size_t i = 0; i < indices.size(); ++i) {
        if (indices[i] < -extent || indices[i] >= extent)
            return refusal(use, "index {} is outside of axis {} of x {}", indices[i], *axis, dimsText(use.dims(0)));
        int64_t from = 0;
        auto rest = static_cast<int64_t>(i);
        for (size_t k = x.dims.size(); k-- > 0;) {
            const int64_t at = k == *axis ? (indices[i] < 0 ? indices[i] + extent : indices[i]) : rest % y->dims[k];
            rest /= y->dims[k];
            from += at * own[k];
        }
        if (isFloat(x.dtype))
            y->floats[i] = x.floats[static_cast<size_t>(from)];
        else
            y->integers[i] = x.integers[static_cast<size_t>(from)];
    }
    return single(std::move(y).value());
}

/// How many axes of x, from `first` on, a row of the indices names.
Outcome<size_t> namedAxes(const OperatorUse &use, size_t first = 0) {
    const Dims &indices = use.dims(1);
    if (indices.empty() || !indices.back().isConstant() || indices.back().value() < 1 ||
        indices.back().value() > static_cast<int64_t>(use.rank(0)) - static_cast<int64_t>(first))
        return refusal(use, "indices {} name no places in x {}; the last axis of the indices has 1 to {} numbers",
                       dimsText(indices), dimsText(use.dims(0)), use.rank(0) - first);
    return static_cast<size_t>(indices.back().value());
}

Inferred inferGatherNd(const OperatorUse &use) {
    if (Checked wrong = wantIndices(use, 1)) return *wrong;
    const Dims &x = use.dims(0);
    const Dims &indices = use.dims(1);
    const int64_t batch = use.integer("batch_dims");
    if (batch < 0 || batch >= static_cast<int64_t>(std::min(x.size(), indices.size())))
        return refusal(use, "batch_dims is {}; x {} and indices {} have more axes than that", batch, dimsText(x),
                       dimsText(indices));
    const auto shared = static_cast<size_t>(batch);
    for (size_t i = 0; i < shared; ++i)
        if (const Dim more = indices[i] - x[i]; more.isConstant() && more.value() != 0)
            return refusal(use, "axis {} of x {} and indices {} is one of {} that they share", i, dimsText(x),
                           dimsText(indices), shared);
    const Outcome<size_t> named = namedAxes(use, shared);
    if (!named) return named.refusal();
    Dims dims(indices.begin(), indices.end() - 1);
    dims.insert(dims.end(), x.begin() + static_cast<std::ptrdiff_t>(shared + *named), x.end());
    return result(use.dtype(0), std::move(dims));
}

Evaluated evaluateGatherNd(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &) {
    Outcome<WideTensor> y = emptyResult(use);
    if (!y) return y.refusal();
    const auto shared = static_cast<size_t>(use.integer("batch_dims"));
    const Outcome<size_t> named = namedAxes(use, shared);
    if (!named) return named.refusal();
    const WideTensor &x = *inputs[0];
    const WideTensor &indices = *inputs[1];
    const Strides strides = denseStrides(x.dims);
    const int64_t block = strides[shared + *named - 1]; // elements behind the named axes
    const auto rows = static_cast<int64_t>(indices.integers.size() / *named);
    const int64_t each = shared > 0 ? strides[shared - 1] : 0; // elements of one place in the shared axes
    const int64_t batches = elementCount({x.dims.begin(), x.dims.begin() + static_cast<std::ptrdiff_t>(shared)});
    for (int64_t row = 0; row < rows; ++row) {
        int64_t from = row / (rows / batches) * each;
        for (size_t i = 0; i < *named; ++i) {
            const size_t axis = shared + i;
            const int64_t index = indices.integers[static_cast<size_t>(row) * *named + i];
            if (index < -x.dims[axis] || index >= x.dims[axis])
                return refusal(use, "index {} is outside of axis {} of x {}", index, axis, dimsText(use.dims(0)));
            from += (index < 0 ? index + x.dims[axis] : index) * strides[axis];
        }
        if (isFloat(x.dtype))
            std::copy_n(x.floats.data() + from, block, y->floats.data() + row * block);
        else
            std::copy_n(x.integers.data() + from, block, y->integers.data() + row * block);
    }
    return single(std::move(y).value());
}

Inferred inferScatterNd(const OperatorUse &use) {
    if (Checked wrong = wantIndices(use, 1)) return *wrong;
    const Outcome<size_t> named = namedAxes(use);
    if (!named) return named.refusal();
    const Dims &x = use.dims(0);
    Dims wanted(use.dims(1).begin(), use.dims(1).end() - 1);
    wanted.insert(wanted.end(), x.begin() + static_cast<std::ptrdiff_t>(*named), x.end());
    const Dims &updates = use.dims(2);
    bool fits = use.dtype(2) == use.dtype(0) && updates.size() == wanted.size();
    for (size_t i = 0; fits && i < wanted.size(); ++i) {
        const Dim difference = updates[i] - wanted[i];
        fits = !difference.isConstant() || difference.value() == 0;
    }
    if (!fits)
        return refusal(use, "updates are {}; for x {} and indices {} they are {}",
                       typeText(TensorType{use.dtype(2), updates}), dimsText(x), dimsText(use.dims(1)),
                       typeText(TensorType{use.dtype(0), wanted}));
    return result(use.dtype(0), x);
}

Evaluated evaluateScatterNd(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &) {
    const Outcome<size_t> named = namedAxes(use);
    if (!named) return named.refusal();
    WideTensor y = *inputs[0];
    const WideTensor &updates = *inputs[2];
    const std::vector<int64_t> &indices = inputs[1]->integers;
    const Strides strides = denseStrides(y.dims);
    const int64_t block = strides[*named - 1]; // elements behind the named axes
    const auto rows = static_cast<int64_t>(indices.size() / *named);
    for (int64_t row = 0; row < rows; ++row) {
        int64_t to = 0;
        for (size_t axis = 0; axis < *named; ++axis) {
            const int64_t index = indices[static_cast<size_t>(row) * *named + axis];
            if (index < -y.dims[axis] || index >= y.dims[axis])
                return refusal(use, "index {} is outside of axis {} of x {}", index, axis, dimsText(use.dims(0)));
            to += (index < 0 ? index + y.dims[axis] : index) * strides[axis];
        }
        if (isFloat(y.dtype))
            std::copy_n(updates.floats.data() + row * block, block, y.floats.data() + to);
        else
            std::copy_n(updates.integers.data() + row * block, block, y.integers.data() + to);
    }
    return single(std::move(y));
}

} // namespace

OperatorTable indexingOperators() {
    return {{.name = "slice",
             .doc = "Part of a tensor: from starts up to ends (left out) by steps, along axes.",
             .inputs = {needed("x"), needed("starts"), needed("ends"), optional("axes"), optional("steps")},
             .attributes = {},
             .pattern = PatternKind::Injective,
             .infer = inferSlice,
             .evaluate = evaluateSlice},
            {.name = "gather",
             .doc = "Slices of an axis by index; a negative one counts from the end.",
             .inputs = {needed("x"), needed("indices")},
             .attributes = {integer("axis", 0, "of x, that is indexed")},
             .pattern = PatternKind::Injective,
             .infer = inferGather,
             .evaluate = evaluateGather},
            {.name = "gather_elements",
             .doc = "For each index the element of x at that place of the axis, elsewhere in the same place.",
             .inputs = {needed("x"), needed("indices")},
             .attributes = {integer("axis", 0, "of x, that is indexed")},
             .pattern = PatternKind::Injective,
             .infer = inferGatherElements,
             .evaluate = evaluateGatherElements},
            {.name = "gather_nd",
             .doc = "Each row of the indices names a place of x, behind axes that both share: what stands there.",
             .inputs = {needed("x"), needed("indices")},
             .attributes = {integer("batch_dims", 0, "axes that x and the indices share, the first ones")},
             .pattern = PatternKind::Injective,
             .infer = inferGatherNd,
             .evaluate = evaluateGatherNd},
            {.name = "scatter_nd",
             .doc = "x with other elements: each row of the indices names a place of it, where the update of that row "
                    "stands; of places named twice the last.",
             .inputs = {needed("x"), needed("indices"), needed("updates")},
             .attributes = {},
             .pattern = PatternKind::Opaque,
             .host = true,
             .infer = inferScatterNd,
             .evaluate = evaluateScatterNd}};
}

} // namespace loopscope
