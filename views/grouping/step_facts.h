#pragma once
// A grouping at one place of its history: which groups there are, where each stage is computed then, and what the round
// that led there decided. Place 0 is before the first round, place n behind round n; the last round of each phase
// merges nothing.

#include "views/grouping/shown_grouping.h"

namespace loopscope {

enum class StageRole : uint8_t {
    InlinedEarly, // before anything was weighed
    Inlined,
    Member, // computed for each tile of its group's output
    Root,   // output of its group
};

struct StageState {
    StageRole role = StageRole::Root;
    std::vector<int> groups; // in StepFacts::groups; inlined stages may be in several
    QString where;           // "root, tiles 256 × 256", "at x_o of output", "inlined"
    QString loops;           // "parallel y_o, x_o · vector 8"; empty: nothing to say
};

struct ShownGroup {
    Group group;
    int stage = 0;           // of the output
    std::vector<int> stages; // inlined ones, too
    int colour = -1;         // Theme::series; -1: of a stage alone
    [[nodiscard]] bool several() const { return stages.size() > 1; }
};

struct StepFacts {
    size_t place = 0;
    size_t merges = 0; // done by then
    std::vector<ShownGroup> groups;
    std::vector<StageState> stages; // by stage
    GroupingTotals before;          // at the place before
    GroupingTotals after;
    std::optional<GroupMerge> merge; // that the round did

    [[nodiscard]] int groupOf(int stage) const; // the first; -1 none
};

inline size_t lastPlace(const Grouping &grouping) { return grouping.rounds.size(); }

StepFacts stepFacts(const ShownGrouping &result, size_t place);

/// "Merge 3 of 5: blur_y into ratio saves 4.658 G", "Inlining ends: none of 3 possible merges saves anything".
QString placeTitle(const ShownGrouping &result, size_t place);
/// What that changed: "tile none → 256 × 256 · operations 489 M → 373 M (−23.7 %) · memory 22.8 G → 6.1 G (−73.3 %)".
QString placeChange(const ShownGrouping &result, const StepFacts &facts);

} // namespace loopscope
