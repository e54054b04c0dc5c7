#include "language/dag/affine_offset.h"

#include "language/expr/affine.h"

#include <algorithm>

namespace loopscope {

std::optional<AffineOffset> affineOffset(Expr load, VarRanges axes) {
    AffineOffset result;
    result.strides.assign(axes.size(), 0);
    const std::vector<int64_t> strides = rowMajorStrides(load->symbol->shape);
    for (size_t d = 0; d < load->argCount; ++d) {
        const LinearForm form = linearForm(load->arg(d), axes);
        result.base += form.constant * strides[d];
        for (const LinearTerm &term : form.terms) {
            const auto axis = std::find_if(axes.begin(), axes.end(),
                                           [&](const VarRange &range) { return range.var == term.atom.node(); });
            if (axis == axes.end()) return std::nullopt;
            result.strides[static_cast<size_t>(axis - axes.begin())] += term.coefficient * strides[d];
        }
    }
    result.range = Interval::point(result.base);
    for (size_t axis = 0; axis < axes.size(); ++axis)
        result.range = result.range + axes[axis].range * result.strides[axis];
    return result;
}

std::vector<int64_t> rowMajorStrides(const std::vector<int64_t> &shape) {
    std::vector<int64_t> strides(shape.size(), 1);
    for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
    return strides;
}

} // namespace loopscope
