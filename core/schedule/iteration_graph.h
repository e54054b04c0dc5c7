#pragma once
// The graph from an op's axes to the leaf iterators of its stage (see IterRelation): growing it, naming its nodes as a
// tensor expression schedule would, and carrying extents down it.

#include "schedule/loop_state.h"

#include <set>
#include <span>
#include <string>
#include <vector>

namespace loopscope {

/// A stage as it is before any step: one leaf per axis, spatial axes first, location root. The loop of a scan along its
/// axis is of the kind of a reduction's, since its iterations depend on each other; no loop runs along an axis that
/// terms are scattered over.
Stage naiveStage(OpPtr op);

inline size_t axisCount(const Op &op) { return op.axes.size() + op.reduceRank(); }
inline const Axis &axisOf(const Op &op, size_t node) {
    return node < op.axes.size() ? op.axes[node] : op.reduction->axes[node - op.axes.size()];
}

/// Axis name -> iterator name: `.` and `@` become `_`, "outer" and "inner" become "o" and "i".
std::string cleanedName(std::string_view axisName);

/// Replaces leaf `iter` by lengths.size() + 1 leaves and appends the binary splits. Returns whether a length is open.
bool splitLeaf(Stage &stage, IterId iter, std::span<const int64_t> lengths, bool innerToOuter);

/// Extents of all nodes from those of the axes (the first entries of `extents`, which has nodeCount entries).
/// `threadBound`, when not null, is not 0 for nodes from which a thread-bound leaf comes: there a given length is kept
/// even where it exceeds the parent's extent. Open lengths count as 1.
void extentsDown(const Stage &stage, int64_t *extents, const char *threadBound = nullptr);

/// The axes that each leaf comes from (their numbers as nodes), by leaf.
std::vector<std::set<int>> axesOfLeaves(const Stage &stage);

/// Names in a tensor expression schedule: `i.outer`, `i.inner`, `i.j.fused`.
std::vector<std::string> nodeNames(const Stage &stage);

/// The loop that a scan goes along, which stays what it is: one loop.
inline bool isScanLoop(const Stage &stage, const Iter &iter) {
    return iter.kind == IterKind::Reduction && !stage.op->reduction;
}

inline bool isThread(Annotation a) { return a >= Annotation::VThread && a <= Annotation::ThreadZ; }

} // namespace loopscope
