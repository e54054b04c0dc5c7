#include "networks/op/entry.h"
#include "networks/op/infer_rules.h"
#include "networks/op/strided_loop.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace loopscope {

namespace {

/// What is known of the elements stays known where the result has rank 0 or 1.
std::optional<Dims> sameElements(const OperatorUse &use, const Dims &dims) {
    return dims.size() <= 1 ? use.elements(0) : std::nullopt;
}

Inferred inferReshape(const OperatorUse &use) {
    Outcome<Dims> wanted = knownElements(use, 1);
    if (!wanted) return wanted.refusal();
    const Dims &x = use.dims(0);
    const bool keeps = use.integer("allow_zero") == 0;
    Dims dims = std::move(wanted).value();
    if (use.rank(1) != 1) return refusal(use, "shape has to be a vector, it is {}", typeText(use.type(1)));
    std::optional<size_t> open;
    for (size_t i = 0; i < dims.size(); ++i) {
        if (dims[i] == Dim(0) && keeps) {
            if (i >= x.size())
                return refusal(use, "shape {} keeps dim {}, x {} has none", dimsText(dims), i, dimsText(x));
            dims[i] = x[i];
        } else if (dims[i] == Dim(-1)) {
            if (open) return refusal(use, "shape {} leaves more than one dim open", dimsText(dims));
            open = i;
        } else if (dims[i].isConstant() && dims[i].value() < 0) {
            return refusal(use, "shape {} has a negative dim", dimsText(dims));
        }
    }
    const Dim elements = productOf(x);
    if (!open) {
        if (knownEqual(elements, productOf(dims)) == true) return result(use.dtype(0), dims, sameElements(use, dims));
        return refusal(use, "x {} does not fit into {}: {} elements and {}, {}", dimsText(x), dimsText(dims),
                       elements.text(), productOf(dims).text(), unequalText(elements, productOf(dims)));
    }
    const std::string before = dimsText(dims);
    dims[*open] = 1;
    const Dim others = productOf(dims);
    if (others == Dim(0))
        return refusal(use, "which dim -1 of {} is cannot be told, the others have no element", before);
    const auto quotient = Dim::exactQuotient(elements, others);
    if (!quotient || (others.isConstant() && elements.isConstant() && elements.value() % others.value() != 0))
        return refusal(use, "x {} does not fit into {}: {} elements are not known to be a multiple of {}", dimsText(x),
                       before, elements.text(), others.text());
    dims[*open] = *quotient;
    return result(use.dtype(0), dims, sameElements(use, dims));
}

Inferred inferFlatten(const OperatorUse &use) {
    const Dims &x = use.dims(0);
    const auto rank = static_cast<int64_t>(x.size());
    int64_t axis = use.integer("axis");
    if (axis < -rank || axis > rank) return refusal(use, "axis {} is outside of rank {}", axis, rank);
    if (axis < 0) axis += rank;
    const std::span<const Dim> all(x);
    const auto rows = static_cast<size_t>(axis);
    return result(use.dtype(0), {productOf(all.first(rows)), productOf(all.subspan(rows))});
}

Outcome<std::vector<size_t>> permutationOf(const OperatorUse &use) {
    const std::vector<int64_t> named = use.integers("permutation");
    const size_t rank = use.rank(0);
    std::vector<size_t> permutation(rank);
    if (named.empty()) {
        for (size_t i = 0; i < rank; ++i) permutation[i] = rank - 1 - i;
        return permutation;
    }
    std::vector<bool> seen(rank);
    for (size_t i = 0; i < named.size(); ++i) {
        const auto axis = axisIn(named[i], rank);
        if (named.size() != rank || !axis || seen[*axis])
            return refusal(use, "permutation has to name each of the {} axes of x once", rank);
        seen[*axis] = true;
        permutation[i] = *axis;
    }
    return permutation;
}

Inferred inferTranspose(const OperatorUse &use) {
    const Outcome<std::vector<size_t>> permutation = permutationOf(use);
    if (!permutation) return permutation.refusal();
    Dims dims;
    for (const size_t axis : *permutation) dims.push_back(use.dims(0)[axis]);
    return result(use.dtype(0), dims, sameElements(use, dims));
}

Inferred inferUnsqueeze(const OperatorUse &use) {
    const std::vector<int64_t> named = use.integers("axes");
    const size_t rank = use.rank(0) + named.size();
    const Outcome<std::vector<size_t>> axes = axesFrom(use, named, rank);
    if (!axes) return axes.refusal();
    Dims dims = use.dims(0);
    for (const size_t axis : *axes) dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis), 1);
    return result(use.dtype(0), dims, sameElements(use, dims));
}

Inferred inferSqueeze(const OperatorUse &use) {
    const Dims &x = use.dims(0);
    const std::vector<int64_t> named = use.integers("axes");
    const Outcome<std::vector<size_t>> axes = axesFrom(use, named, x.size());
    if (!axes) return axes.refusal();
    Dims dims;
    for (size_t axis = 0; axis < x.size(); ++axis) {
        const bool goes = std::find(axes->begin(), axes->end(), axis) != axes->end();
        const auto one = knownEqual(x[axis], 1);
        if (goes && one != true)
            return refusal(use, "axis {} of x {} is not known to have extent 1", axis, dimsText(x));
        if (named.empty() && !one)
            return refusal(use, "whether axis {} of x {} has extent 1 is not known; name the axes that go", axis,
                           dimsText(x));
        if (!goes && !(named.empty() && one == true)) dims.push_back(x[axis]);
    }
    return result(use.dtype(0), dims, sameElements(use, dims));
}

Inferred inferExpand(const OperatorUse &use) {
    const Outcome<Dims> shape = knownElements(use, 1);
    if (!shape) return shape.refusal();
    Outcome<Dims> dims = broadcastDims(use, use.dims(0), *shape, "x", "the shape");
    if (!dims) return dims.refusal();
    std::optional<Dims> elements = sameElements(use, *dims);
    if (elements && elements->size() == 1 && dims->size() == 1 && dims->front().isConstant() &&
        dims->front().value() >= 0 && dims->front().value() <= kMaxKnownElements)
        elements->assign(static_cast<size_t>(dims->front().value()), Dim(elements->front()));
    else if (elements && productOf(*dims) != Dim(static_cast<int64_t>(elements->size())))
        elements.reset();
    return result(use.dtype(0), std::move(dims).value(), std::move(elements));
}

Inferred inferDropout(const OperatorUse &use) {
    std::vector<InferredOutput> outputs = {{use.type(0), use.elements(0)}};
    if (use.node().outputs.size() > 1) outputs.push_back({{DType::Bool, use.dims(0)}});
    return outputs;
}

/// The same elements in the same order.
Evaluated evaluateReshaped(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &) {
    auto inferred = use.of().infer(use);
    if (!inferred) return inferred.refusal();
    auto dims = constantDims(inferred->front().type.dims);
    if (!dims) return refusal(use, "the result's dims {} are not known", dimsText(inferred->front().type.dims));
    WideTensor y = *inputs[0];
    y.dims = *std::move(dims);
    return single(std::move(y));
}

Evaluated evaluateTranspose(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    Outcome<WideTensor> y = emptyResult(use);
    if (!y) return y.refusal();
    const Outcome<std::vector<size_t>> permutation = permutationOf(use);
    if (!permutation) return permutation.refusal();
    const Strides own = denseStrides(inputs[0]->dims);
    Strides strides;
    for (const size_t axis : *permutation) strides.push_back(own[axis]);
    copyStrided(y->dims, *inputs[0], 0, strides, *y, 0, denseStrides(y->dims), pool);
    return single(std::move(y).value());
}

Evaluated evaluateExpand(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    Outcome<WideTensor> y = emptyResult(use);
    if (!y) return y.refusal();
    copyStrided(y->dims, *inputs[0], 0, broadcastStrides(inputs[0]->dims, y->dims), *y, 0, denseStrides(y->dims), pool);
    return single(std::move(y).value());
}

Evaluated evaluateDropout(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &) {
    std::vector<WideTensor> outputs = {*inputs[0]};
    if (use.node().outputs.size() > 1) {
        outputs.push_back(WideTensor::zeros(DType::Bool, inputs[0]->dims));
        std::fill(outputs[1].integers.begin(), outputs[1].integers.end(), 1);
    }
    return outputs;
}

} // namespace

OperatorTable shapeOperators() {
    return {{.name = "reshape",
             .doc = "The same elements with other dims; 0 keeps a dim, -1 is what is left.",
             .inputs = {needed("x"), needed("shape")},
             .attributes = {integer("allow_zero", 0, "1: 0 is a dim without elements")},
             .pattern = PatternKind::Injective,
             .infer = inferReshape,
             .evaluate = evaluateReshaped},
            {.name = "flatten",
             .doc = "A matrix: the axes before `axis` are its rows, the others its columns.",
             .inputs = {needed("x")},
             .attributes = {integer("axis", 1, "first axis of the columns")},
             .pattern = PatternKind::Injective,
             .infer = inferFlatten,
             .evaluate = evaluateReshaped},
            {.name = "transpose",
             .doc = "Axes in another order.",
             .inputs = {needed("x")},
             .attributes = {integers("permutation", "which axis of x each axis of the result is; none: reversed")},
             .pattern = PatternKind::Injective,
             .infer = inferTranspose,
             .evaluate = evaluateTranspose},
            {.name = "unsqueeze",
             .doc = "Axes of extent 1 inserted.",
             .inputs = {needed("x")},
             .attributes = {given(integers("axes", "of the result, that are new"))},
             .pattern = PatternKind::Broadcast,
             .infer = inferUnsqueeze,
             .evaluate = evaluateReshaped},
            {.name = "squeeze",
             .doc = "Axes of extent 1 taken out.",
             .inputs = {needed("x")},
             .attributes = {integers("axes", "that go; none: all of extent 1")},
             .pattern = PatternKind::Injective,
             .infer = inferSqueeze,
             .evaluate = evaluateReshaped},
            {.name = "expand",
             .doc = "Repeated along axes of extent 1 until it has a shape, with broadcasting both ways.",
             .inputs = {needed("x"), needed("shape")},
             .attributes = {},
             .pattern = PatternKind::Broadcast,
             .infer = inferExpand,
             .evaluate = evaluateExpand},
            {.name = "dropout",
             .doc = "The input itself, as networks use it after training; the mask, if read, is all true.",
             .inputs = {needed("x")},
             .attributes = {},
             .maxOutputs = 2,
             .pattern = PatternKind::Opaque,
             .infer = inferDropout,
             .evaluate = evaluateDropout}};
}

} // namespace loopscope
