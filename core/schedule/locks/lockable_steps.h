#pragma once
// Steps as locks speak of them: as lines of a script, cut into words. Numbers of stages and loops shift with every step
// in front; names stay.

#include "base/outcome.h"
#include "schedule/loop_state.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

struct LockableStep {
    std::string stage; // as scripts name it
    /// As a script has it, but for two things: a line it follows is called by its stage and loop, and the loop of a
    /// pragma, which is about the whole stage, is `*`.
    std::string line;
    std::string loop; // of a split
    /// Of a split: the lengths of the loops it makes, outermost first; 0: open, or not known.
    std::vector<int64_t> lengths = {};
};

struct LockableSteps {
    std::vector<LockableStep> steps;
    LoopState state; // made by all of them
};

/// The refusal of the first step that does not apply, if there is one.
Outcome<LockableSteps> lockableSteps(const DagPtr &dag, const Steps &steps);

/// A word of a line or of a pattern. A quoted name keeps its quotes.
struct LineWord {
    std::string text;
    size_t at = 0; // in bytes
};
/// Commas separate like blanks.
std::vector<LineWord> lineWords(std::string_view line);
/// The same words, whatever stands between them; `*` in either stands for any loop of a pragma.
bool sameLine(std::string_view a, std::string_view b);
/// `*` in the pattern stands for any characters, none included.
bool matchesPattern(std::string_view pattern, std::string_view text);

} // namespace loopscope
