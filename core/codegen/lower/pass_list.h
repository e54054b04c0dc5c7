#pragma once
// Which passes a program goes through on its way to code, for each kind of target: the one place where that is said. A
// new kind of target adds a list.

#include "codegen/lower/passes.h"
#include "schedule/step.h"

#include <optional>
#include <span>
#include <string_view>

namespace loopscope {

struct Pass {
    std::string_view name; // as LowerOptions::observer hears it
    /// A pass that can meet what its target cannot do refuses; the program then stays as it was.
    std::optional<Refusal> (*run)(LoopProgram &program, const PassContext &context);
};

struct PassList {
    /// Steps that cannot be meant for such a target, before anything is made of them; null = all are.
    std::optional<Refusal> (*refused)(const Steps &steps) = nullptr;
    std::span<const Pass> passes; // after the loop nest is built, in order
};

const PassList &passesFor(TargetKind kind);

} // namespace loopscope
