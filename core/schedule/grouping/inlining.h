#pragma once
// Stages put in the place of their loads: before grouping begins, those that cost next to nothing or that one reader
// reads point by point; during grouping, to see what a reader would cost.

#include "schedule/grouping/pipeline.h"

#include <string>
#include <vector>

namespace loopscope {

/// The expression with all loads of the stages `inlined` replaced as below.
Expr inlinedInto(const Pipeline &pipeline, Expr e, const std::vector<bool> &inlined);
/// A value of a node with all loads of the stages `inlined` (by number; pure ones) replaced by what they compute, what
/// is computed twice bound by a let; as it is where it loads none of them. For a pipeline after early inlining.
Expr inlinedValue(const Pipeline &pipeline, int node, size_t value, const std::vector<bool> &inlined);
/// All values of the node likewise.
std::vector<Expr> inlinedValues(const Pipeline &pipeline, int node, const std::vector<bool> &inlined);
/// What is computed to find where the node writes, likewise.
std::vector<Expr> inlinedPlaces(const Pipeline &pipeline, int node, const std::vector<bool> &inlined);

/// Changes the pipeline; returns the names of the stages that vanished, in the order they did.
std::vector<std::string> inlineEarly(Pipeline &pipeline);

/// Whether a step that inlines the stage where those are inlined, by stage, is not refused: expressions of stages that
/// read some points each grow exponentially from stage to stage.
bool inliningFits(const Pipeline &pipeline, const std::vector<bool> &inlined, int stage);

} // namespace loopscope
