#pragma once
// What the compiler says it did not do to a loop and why, as its own optimisation remarks tell it.

#include <cstdint>
#include <string>
#include <string_view>

namespace loopscope {

struct CompilerRemark {
    enum class Kind : uint8_t { Missed, Passed, Analysis } kind = Kind::Missed;
    std::string pass; // "regalloc", "loop-vectorize"
    std::string name; // of the remark: "LoopSpillReload"
    std::string text;
    int programLine = 0; // of printProgram's text; 0 = none
    int times = 1;       // it was said of that line
    /// Asked of a pass that kernels do not run through: it looked at a copy of the finished code.
    bool ofCopy = false;
};
std::string_view remarkKindName(CompilerRemark::Kind kind); // "missed"

} // namespace loopscope
