#pragma once
// What hovering tells: the loops of a state, the steps of an edge, why rules were refused. Rich text for tooltips.

#include "views/settings/theme.h"
#include "views/sketch_tree/shown_tree.h"
#include "views/sketch_tree/sketch_statistics.h"

#include <QString>

namespace loopscope {

/// Heading, what made it, and its loops with the new ones marked.
QString stateTip(const Theme &theme, const DerivationTree &tree, const DerivationNode &node,
                 const SketchNumbers *numbers);
/// Every step of the edge with the reason it applies and the transform steps it added.
QString edgeTip(const DerivationTree &tree, const ShownNode &shown);
/// All that was refused on the way along an edge, or on a state.
QString refusedTip(const std::vector<RuleTried> &refused);
std::vector<RuleTried> refusedOnTheWay(const DerivationTree &tree, const ShownNode &shown);
/// "3 splits, 1 reorder": the transform steps of `after` that `before` has not.
QString addedSteps(const LoopState &before, const LoopState &after);

} // namespace loopscope
