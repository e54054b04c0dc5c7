#pragma once
// Scatters: reductions whose terms each go to one place of an axis that is computed, such as a histogram:
//
//   h(b < 256) = sum(x < W at b = int32(in[x]); 1)
//
// What that means is the reduction `sum(x < W where b == int32(in[x]); 1)`, and so it is kept: a condition that begins
// with `axis == place`, and a mark that says that it is a place rather than a test (kScatterAttribute, with the number
// of places; the language has its own word for it). Its loops are the other axes and the reduction: no loop runs along
// a scattered axis, all of which is set to the identity first. Whoever reads a part of it needs that axis whole.

#include "language/te/op.h"

#include <optional>

namespace loopscope {

inline constexpr const char *kScatterAttribute = "scatter";

struct ScatterPlace {
    size_t axis = 0; // of the op's axes
    Expr index;      // over the other axes and those of the reduction
};

struct Scatter {
    std::vector<ScatterPlace> places;
    Expr condition; // of a term besides; null = always

    [[nodiscard]] const ScatterPlace *along(size_t axis) const;
};

/// Nothing for any other op.
std::optional<Scatter> scatterOf(const Op &op);
/// Some axis of the op is scattered over.
bool isScatter(const Op &op);

/// The reduction's terms go to these places: its condition so far becomes that of the scatter.
void scatterTo(std::vector<ScatterPlace> places, const std::vector<Axis> &axes, Reduction &reduction, Attrs &attrs);

} // namespace loopscope
