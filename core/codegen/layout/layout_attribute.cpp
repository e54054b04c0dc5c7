#include "codegen/layout/layout_attribute.h"

#include "base/check.h"
#include "codegen/layout/rewrite.h"
#include "language/dag/stays_in_memory.h"
#include "language/expr/walk.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <numeric>
#include <set>

namespace loopscope {

namespace {

/// Numbers of the pieces, those of larger steps first.
std::vector<size_t> coarseFirst(const Layout &layout) {
    std::vector<size_t> order(layout.pieces().size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return layout.pieces()[a].step > layout.pieces()[b].step; });
    return order;
}

Expr zeroOf(DType type) {
    if (type == DType::Bool) return makeBool(false);
    return isFloat(type) ? makeFloat(0, type) : makeInt(0, type);
}

/// The largest index of an axis that the cells of a layout come to, those without an element included.
int64_t largestIndex(const Layout &layout, size_t d) {
    int64_t largest = 0;
    for (size_t p = 0; p < layout.pieces().size(); ++p)
        if (layout.pieces()[p].axis == static_cast<int>(d))
            largest += (layout.cellsOf(p) - 1) * layout.pieces()[p].step;
    return largest;
}

/// Some index is made of an axis of the op, but is not the axis itself.
bool readsBesideAxes(const Op &op) {
    bool beside = false;
    const auto look = [&](Expr e) {
        if (e->kind != ExprKind::Load) return;
        for (const Expr index : e->operands())
            for (const Axis &axis : op.axes) beside = beside || (!index.is(axis.var) && usesVar(index, axis.var));
    };
    for (const Expr value : op.body) postOrder(value, look);
    if (op.reduction && op.reduction->condition) postOrder(op.reduction->condition, look);
    return beside;
}

Substitution inPlaceOf(const std::vector<Axis> &axes, const std::vector<Expr> &values) {
    Substitution map;
    for (size_t d = 0; d < axes.size(); ++d) map.emplace_back(axes[d].var.node(), values[d]);
    return map;
}

} // namespace

AttrValue layoutAttribute(const Layout &layout) {
    std::vector<std::string> words = {layout.text()};
    for (const int64_t extent : layout.shape()) words.push_back(std::to_string(extent));
    return words;
}

std::optional<Layout> layoutOf(const Op &op) {
    const auto found = op.attrs.find(kLayoutAttribute);
    if (found == op.attrs.end()) return std::nullopt;
    const auto *words = std::get_if<std::vector<std::string>>(&found->second);
    if (words == nullptr || words->empty()) return std::nullopt;
    std::vector<int64_t> shape;
    for (size_t i = 1; i < words->size(); ++i) {
        int64_t extent = 0;
        const std::string &word = (*words)[i];
        const auto result = std::from_chars(word.data(), word.data() + word.size(), extent);
        if (result.ec != std::errc{} || result.ptr != word.data() + word.size() || extent < 1) return std::nullopt;
        shape.push_back(extent);
    }
    const auto layout = parseLayout(words->front(), std::move(shape));
    if (!layout || layout->physicalShape() != op.shape()) return std::nullopt;
    return layout.value();
}

bool isLayoutCopy(const Op &op) {
    if (op.isPlaceholder() || op.reduction || op.body.size() != 1) return false;
    const auto layout = layoutOf(op);
    if (!layout) return false;
    Expr body = op.body.front();
    if (body->kind == ExprKind::Call && body->intrinsic == Intrinsic::IfThenElse) body = body->arg(1);
    if (body->kind != ExprKind::Load || body->symbol->shape != layout->shape()) return false;
    const ArenaPtr scratch = std::make_shared<ExprArena>();
    const ArenaScope scope(scratch);
    const std::vector<Expr> expected = unpackedIndices(*layout, op.axes);
    for (size_t d = 0; d < expected.size(); ++d)
        if (!structurallyEqual(expected[d], body->arg(d))) return false;
    return true;
}

std::vector<Expr> packedIndices(const Layout &layout, std::span<const Expr> indices) {
    std::vector<Expr> rest(indices.begin(), indices.end());
    std::vector<Expr> digits(layout.pieces().size());
    for (const size_t p : coarseFirst(layout)) {
        const LayoutPiece &piece = layout.pieces()[p];
        Expr &left = rest[static_cast<size_t>(piece.axis)];
        digits[p] = floorDiv(left, piece.step);
        left = floorMod(left, piece.step);
    }
    return digits;
}

std::vector<Axis> packedAxes(const Layout &layout, const std::vector<std::string> &axisNames) {
    std::vector<Axis> axes;
    std::set<std::string> used(axisNames.begin(), axisNames.end());
    for (size_t p = 0; p < layout.pieces().size(); ++p) {
        const LayoutPiece &piece = layout.pieces()[p];
        std::string name = axisNames[static_cast<size_t>(piece.axis)];
        if (piece.step > 1 || layout.blockOf(p) > 0) {
            const std::string base = name + (layout.blockOf(p) == 0 ? "_o" : piece.step == 1 ? "_i" : "_m");
            name = base;
            for (int n = 2; !used.insert(name).second; ++n) name = fmt::format("{}{}", base, n);
        }
        axes.push_back({.var = makeVar(name), .extent = layout.cellsOf(p)});
    }
    return axes;
}

std::vector<Expr> unpackedIndices(const Layout &layout, const std::vector<Axis> &axes) {
    std::vector<Expr> indices(layout.shape().size());
    for (const size_t p : coarseFirst(layout)) {
        const LayoutPiece &piece = layout.pieces()[p];
        Expr &index = indices[static_cast<size_t>(piece.axis)];
        const Expr term = axes[p].var * piece.step;
        index = index ? index + term : term;
    }
    for (Expr &index : indices)
        if (!index) index = makeInt(0);
    return indices;
}

Expr guarded(const Layout &layout, const std::vector<Expr> &unpacked, Expr value, Expr padding) {
    Expr condition;
    for (size_t d = 0; d < unpacked.size(); ++d) {
        if (largestIndex(layout, d) < layout.shape()[d]) continue;
        const Expr inside = fold(ExprKind::Lt, unpacked[d], makeInt(layout.shape()[d]));
        condition = condition ? logicalAnd(condition, inside) : inside;
    }
    return condition ? ifThenElse(condition, value, padding) : value;
}

OpPtr layoutCopy(std::string name, const Tensor &tensor, const Layout &layout,
                 const std::vector<std::string> &axisNames) {
    std::vector<Axis> axes = packedAxes(layout, axisNames);
    const std::vector<Expr> indices = unpackedIndices(layout, axes);
    const Expr value = guarded(layout, indices, makeLoad(tensor, indices), zeroOf(tensor.dtype));
    return makeCompute(std::move(name), std::move(axes), {value}, std::nullopt,
                       {{kLayoutAttribute, layoutAttribute(layout)}});
}

OpPtr laidOutProducer(const Op &op, const Layout &layout) {
    std::vector<std::string> names;
    for (const Axis &axis : op.axes) names.emplace_back(axis.name());
    std::vector<Axis> axes = packedAxes(layout, names);
    std::optional<Reduction> reduction = op.reduction;
    if (reduction) { // names of axes are unique in an op
        for (Axis &axis : axes)
            for (bool changed = true; changed;) {
                changed = std::any_of(reduction->axes.begin(), reduction->axes.end(),
                                      [&](const Axis &other) { return other.name() == axis.name(); });
                if (changed) axis.var = makeVar(std::string(axis.name()) + "_");
            }
    }
    std::vector<Expr> indices = unpackedIndices(layout, axes);
    const bool clamped = readsBesideAxes(op);
    if (clamped) // a guard would not tell that such reads stay inside; cells without an element repeat the last
        for (size_t d = 0; d < indices.size(); ++d)
            if (largestIndex(layout, d) >= layout.shape()[d])
                indices[d] = minOf(indices[d], makeInt(layout.shape()[d] - 1));
    const Substitution map = inPlaceOf(op.axes, indices);
    std::vector<Expr> body;
    for (size_t k = 0; k < op.body.size(); ++k) {
        const Expr value = substitute(op.body[k], map);
        const Expr padding = reduction ? reduction->combiner.identity[k] : zeroOf(op.body[k]->dtype);
        body.push_back(clamped ? value : guarded(layout, indices, value, padding));
    }
    if (reduction && reduction->condition) reduction->condition = substitute(reduction->condition, map);
    Attrs attrs = op.attrs;
    const auto earlier = layoutOf(op);
    const auto both = earlier ? composed(*earlier, layout) : Outcome<Layout>(layout);
    LOOPSCOPE_CHECK(both.ok(), "the layouts of `" + op.name + "` do not compose");
    attrs[kLayoutAttribute] = layoutAttribute(both.value());
    return makeCompute(op.name, std::move(axes), std::move(body), std::move(reduction), std::move(attrs), op.tag);
}

} // namespace loopscope
