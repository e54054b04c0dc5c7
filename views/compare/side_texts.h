#pragma once
// The texts of both sides where one needs the other: steps aligned by what they are applied to, and what is known of
// two schedules' code and of what the cost model makes of them, fact beside fact. Made in jobs.

#include "views/compare/compared_side.h"

#include <utility>

namespace loopscope {

using SideTexts = std::pair<SideText, SideText>; // left, right

/// Their scripts, a step a line, numbered as in the list somebody edits; where one does not apply, in words, unaligned.
SideTexts alignedStepTexts(const DagPtr &dag, const ComparedSide &left, const ComparedSide &right);
/// Of sides that are ready for CompareTab::Facts. `acrossTasks`: each was scored by a model of its own, and these
/// scores are not held against each other.
SideTexts factTexts(const ComparedSide &left, const ComparedSide &right, bool acrossTasks);

} // namespace loopscope
