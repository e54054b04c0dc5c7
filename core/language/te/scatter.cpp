#include "language/te/scatter.h"

#include "base/check.h"

#include <algorithm>

namespace loopscope {

const ScatterPlace *Scatter::along(size_t axis) const {
    const auto found = std::ranges::find_if(places, [&](const ScatterPlace &place) { return place.axis == axis; });
    return found == places.end() ? nullptr : &*found;
}

bool isScatter(const Op &op) { return op.reduction && !op.attrs.empty() && op.attrs.contains(kScatterAttribute); }

std::optional<Scatter> scatterOf(const Op &op) {
    if (!isScatter(op)) return std::nullopt;
    Scatter scatter;
    Expr rest = op.reduction->condition;
    for (int64_t left = std::get<int64_t>(op.attrs.at(kScatterAttribute)); left > 0; --left) {
        LOOPSCOPE_CHECK(static_cast<bool>(rest), "a scatter whose condition has fewer places than it says");
        const bool more = rest->kind == ExprKind::And;
        const Expr place = more ? rest->arg(0) : rest;
        rest = more ? rest->arg(1) : Expr();
        const auto axis =
            std::ranges::find_if(op.axes, [&](const Axis &candidate) { return candidate.var.is(place->arg(0)); });
        LOOPSCOPE_CHECK(place->kind == ExprKind::Eq && axis != op.axes.end(), "a scatter along no axis of its op");
        scatter.places.push_back({static_cast<size_t>(axis - op.axes.begin()), place->arg(1)});
    }
    scatter.condition = rest;
    return scatter;
}

void scatterTo(std::vector<ScatterPlace> places, const std::vector<Axis> &axes, Reduction &reduction, Attrs &attrs) {
    attrs[kScatterAttribute] = static_cast<int64_t>(places.size());
    for (auto place = places.rbegin(); place != places.rend(); ++place) {
        const Expr there = makeBinary(ExprKind::Eq, axes[place->axis].var, place->index);
        reduction.condition = reduction.condition ? makeBinary(ExprKind::And, there, reduction.condition) : there;
    }
}

} // namespace loopscope
