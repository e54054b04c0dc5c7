#pragma once
// A schedule as a text that people write, send and keep: one primitive a line, stages and loops by their names.
//
//     # comment
//     rows: split C i into 4, 2, 16        the lengths of the inner loops; `?` is open
//     split C j into outer 8               the lengths of the outer ones
//     follow_split D i like rows parts 2   as the line labelled `rows` does
//     reorder C i.0, j.0, i.1, j.1         all loops of the stage, outermost first
//     compute_at D C j.0                   D at loop j.0 of C
//     parallel C i.0
//
// Which primitives there are and how their lines read tells primitives(). A name that stands for several stages, or
// several loops of one stage, counts them: `i.0~2` is the second. A name of other characters stands in quotes.
//
// Writing and reading are inverse: steps -> script -> steps gives the same steps, and a script as it is written here
// comes back to the letter.

#include "base/outcome.h"
#include "schedule/loop_state.h"
#include "schedule/schedule_refusal.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

/// A kind of line. Several primitives may make one kind of step: parallel, vectorize and unroll annotate.
struct Primitive {
    std::string_view name;  // "split"
    std::string_view usage; // "split STAGE LOOP into N, N, ..."
    std::string_view does;  // in a few words
};
const std::vector<Primitive> &primitives();
/// The name of the primitive that makes such a step.
std::string_view primitiveOf(const Step &step);

/// What the line of a followed step is labelled.
using ScriptLabels = std::function<std::string(StepId)>;
/// `s4`.
std::string numberedLabel(StepId step);
/// The line that makes the step in that state.
std::string scriptLine(const LoopState &before, const Step &step, const ScriptLabels &labels = numberedLabel);
/// The refusal of the first step that does not apply, if there is one.
Outcome<std::string> scriptOf(const DagPtr &dag, const Steps &steps);

/// Where a script stops and why.
struct ScriptProblem {
    int line = 0;                   // from 1
    int column = 0;                 // from 1, in bytes
    std::string primitive;          // as the line names it; empty when it names none
    std::string rule;               // "syntax", "name", "label", or that of the refusal: "fused-consecutive"
    std::string reason;             // a sentence
    std::vector<std::string> legal; // what could stand there instead, in the words of scripts; may be empty
    /// "PATH:3:7: reason".
    [[nodiscard]] std::string text(const std::string &path) const;
};

struct AppliedScript {
    LoopState state;        // made by the lines in front of the problem; all of them when there is none
    std::vector<int> lines; // of each step, from 1
    std::optional<ScriptProblem> problem;
};
/// Applies the lines to the naive schedule, up to the first that cannot be applied.
AppliedScript applyScript(const DagPtr &dag, std::string_view text);

/// What would be legal, in the words of scripts: names of stages, of loops, numbers, a line to put in front.
std::vector<std::string> legalTexts(const LoopState &state, const ScheduleRefusal &refusal);

} // namespace loopscope
