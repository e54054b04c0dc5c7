#pragma once
// In what the schedules of a task differ: lengths of tiles, how far loops run in parallel, are vectorized and unrolled,
// where stages are computed. Each is a column with a value for every schedule, by names of stages and loops, so that
// schedules of several sketches share the columns they have in common.

#include "language/dag/compute_dag.h"
#include "schedule/packed_steps.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace loopscope {

struct Choice {
    enum class Kind : uint8_t {
        Length,   // of a level of a tile, 0 the outermost: "C.i[1]"
        Parallel, // iterations of the stage's parallel loops, multiplied: "C parallel"
        Vector,   // of its vectorized loop: "C vector"
        Unroll,   // pragma auto_unroll_max_step; -1 without: "C unroll"
        Place,    // root, inlined, "at C.i.0"; an index into `words`: "D place"
    };
    Kind kind = Kind::Length;
    std::string name;
    std::vector<std::string> words; // of Place
    /// "16", "at C.i.0", "none" for NaN.
    [[nodiscard]] std::string valueText(double value) const;
};

struct ChoiceTable {
    std::vector<Choice> choices;            // those in which the schedules differ, in the order of stages
    std::vector<std::vector<float>> values; // of each choice, of each schedule; NaN: it has no such choice
    [[nodiscard]] size_t schedules() const { return values.empty() ? 0 : values.front().size(); }
};

/// A schedule that does not apply has no choices: NaN everywhere. Empty once cancelled.
ChoiceTable choiceTable(const DagPtr &dag, const std::vector<PackedSteps> &schedules,
                        const std::atomic<bool> *cancel = nullptr);

} // namespace loopscope
