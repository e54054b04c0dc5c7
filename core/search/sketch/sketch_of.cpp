// Finds the sketch of a complete schedule: its steps are those of the sketch with the lengths filled in, and
// annotations after them. Mutations may since have moved a simple stage the sketch placed, so that a place counts less
// than the rest.

#include "search/sketch/sketch.h"

namespace loopscope {

namespace {

enum class Likeness : uint8_t { None, Moved, Same };

bool isPlace(const Step &step) {
    return std::holds_alternative<ComputeAtStep>(step) || std::holds_alternative<ComputeRootStep>(step);
}

Likeness likeness(const Step &logged, const Step &sketched) {
    if (logged == sketched) return Likeness::Same;
    const auto *split = std::get_if<SplitStep>(&logged);
    const auto *open = std::get_if<SplitStep>(&sketched);
    if (split && open)
        return split->stage == open->stage && split->iter == open->iter && split->extent == open->extent &&
                       split->lengths.size() == open->lengths.size() && split->innerToOuter == open->innerToOuter
                   ? Likeness::Same
                   : Likeness::None;
    return isPlace(logged) && isPlace(sketched) && stageOf(logged) == stageOf(sketched) ? Likeness::Moved
                                                                                        : Likeness::None;
}

} // namespace

int sketchOf(const Steps &steps, const std::vector<Sketch> &sketches) {
    int best = -1;
    size_t bestSame = 0;
    size_t bestMoved = 0;
    for (size_t s = 0; s < sketches.size(); ++s) {
        const Steps &sketch = sketches[s].state.steps();
        if (sketch.size() > steps.size()) continue;
        size_t same = 0;
        size_t moved = 0;
        for (size_t i = 0; i < sketch.size(); ++i) {
            const Likeness one = likeness(steps[i], sketch[i]);
            if (one == Likeness::None) break;
            ++(one == Likeness::Same ? same : moved);
        }
        if (same + moved < sketch.size()) continue;
        // One sketch may begin with all of another, and the empty one fits everything: the longer says more.
        if (best < 0 || same > bestSame || (same == bestSame && moved < bestMoved)) {
            best = static_cast<int>(s);
            bestSame = same;
            bestMoved = moved;
        }
    }
    return best;
}

} // namespace loopscope
