#pragma once
// What the search does for one kind of target: its sketch rules, annotation rules and mutations. The one place where a
// kind is looked up; whoever brings rules for another kind fills in its row of the table.

#include "base/outcome.h"
#include "language/target/target.h"
#include "search/annotate/annotate_rule.h"
#include "search/evolve/mutation.h"
#include "search/sketch/sketch_rule.h"

#include <optional>
#include <string>
#include <vector>

namespace loopscope {

struct TargetRules {
    std::vector<const SketchRule *> sketchRules;     // in the order they are tried; some only when options ask for them
    std::vector<const AnnotateRule *> annotateRules; // in order, once lengths are filled in; empty: there are none yet
    std::vector<const Mutation *> mutations;         // drawn by weight; empty: there are none yet
    std::vector<int> unrollLimits;                   // that are tried
    bool nestsParallelLoops = false;                 // a parallel loop inside another one is legal
};
const TargetRules &rulesFor(TargetKind kind);

} // namespace loopscope
