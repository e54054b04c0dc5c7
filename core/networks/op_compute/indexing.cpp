// Elements by computed places, and tensors that are made of nothing.

#include "networks/op_compute/emission.h"

#include <fmt/format.h>

namespace loopscope {

namespace {

size_t indexedAxis(Emission &e) {
    const auto axis = axisIn(e.use().integer("axis"), e.input().shape.size());
    if (!axis) e.refuse(fmt::format("its axis {} is outside of the data", e.use().integer("axis")));
    return *axis;
}

/// An index outside is taken as the nearest inside: kernels have no way to refuse one. Who runs them looks at the
/// indices before (deploy/plan/index_check.h).
std::vector<const Tensor *> gather(Emission &e) {
    const Tensor &x = e.input(0);
    const Tensor &indices = e.input(1);
    const size_t axis = indexedAxis(e);
    const size_t count = indices.shape.size();
    return {&e.compute("T_take", e.outDims(), [&](const std::vector<Expr> &index) {
        const auto at = index.begin() + static_cast<std::ptrdiff_t>(axis);
        const std::vector<Expr> place(at, at + static_cast<std::ptrdiff_t>(count));
        std::vector<Expr> from(index.begin(), at);
        from.push_back(placeInside(load(indices, place), x.shape[axis]));
        from.insert(from.end(), at + static_cast<std::ptrdiff_t>(count), index.end());
        return load(x, from);
    })};
}

std::vector<const Tensor *> gatherElements(Emission &e) {
    const Tensor &x = e.input(0);
    const Tensor &indices = e.input(1);
    const size_t axis = indexedAxis(e);
    return {&e.compute("T_gather", e.outDims(), [&](const std::vector<Expr> &index) {
        std::vector<Expr> from = index;
        from[axis] = placeInside(load(indices, index), x.shape[axis]);
        return load(x, from);
    })};
}

std::vector<const Tensor *> gatherNd(Emission &e) {
    const Tensor &x = e.input(0);
    const Tensor &indices = e.input(1);
    const auto shared = static_cast<std::ptrdiff_t>(e.use().integer("batch_dims"));
    const auto rows = static_cast<std::ptrdiff_t>(indices.shape.size()) - 1;
    return {&e.compute("T_gather_nd", e.outDims(), [&](const std::vector<Expr> &index) {
        std::vector<Expr> from(index.begin(), index.begin() + shared);
        std::vector<Expr> place(index.begin(), index.begin() + rows);
        place.emplace_back();
        for (int64_t i = 0; i < indices.shape.back(); ++i) {
            place.back() = makeInt(i);
            from.push_back(placeInside(load(indices, place), x.shape[from.size()]));
        }
        from.insert(from.end(), index.begin() + rows, index.end());
        return load(x, from);
    })};
}

std::vector<const Tensor *> range(Emission &e) {
    const auto scalar = [&](size_t input) {
        const Tensor &tensor = e.input(input);
        return load(tensor, std::vector<Expr>(tensor.shape.size(), makeInt(0)));
    };
    return {&e.compute("T_arange", e.outDims(), [&](const std::vector<Expr> &index) {
        return scalar(0) + castTo(e.outType(), index[0]) * scalar(2);
    })};
}

std::vector<const Tensor *> constantOfShape(Emission &e) {
    const DType type = e.outType();
    Expr value = zeroOf(type);
    const auto given = e.use().node().attributes.find("value");
    if (given != e.use().node().attributes.end())
        if (const auto *tensor = std::get_if<HostTensor>(&given->second); tensor && tensor->elements() > 0)
            value = isFloat(type) ? makeFloat(tensor->number(0), type) : makeInt(tensor->integer(0), type);
    return {&e.compute("T_full", e.outDims(), [&](const std::vector<Expr> &) { return value; })};
}

} // namespace

EmitTable indexingEmissions() {
    return {{"gather", gather},
            {"gather_elements", gatherElements},
            {"gather_nd", gatherNd},
            {"range", range},
            {"constant_of_shape", constantOfShape}};
}

} // namespace loopscope
