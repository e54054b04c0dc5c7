#pragma once
// What the code view shows of a schedule: its forms, and what is known of them so far.

#include "measure/disassembly.h"
#include "views/session/representation_cache.h"
#include "views/session/representations.h"
#include "views/session/selection.h"

#include <QString>

namespace loopscope {

enum class FormKind : uint8_t { Loops, C, Ir, Assembly };
inline constexpr int kFormKinds = 4;

inline bool needsDisassembly(FormKind form) { return form == FormKind::Ir || form == FormKind::Assembly; }

struct ScheduleTexts {
    ScheduleRef ref;
    QString absent; // why there is nothing at all to show; empty = there is a schedule
    RepresentationsPtr representations;
    bool formsPending = false;
    DisassemblyPtr disassembly;
    QString disassemblyProblem;
    bool disassemblyPending = false;

    [[nodiscard]] bool refused() const { return representations && !representations->refusal.isEmpty(); }
    /// Of the final program; empty while there is none.
    [[nodiscard]] const std::vector<ProgramNode> &nodes() const {
        static const std::vector<ProgramNode> none;
        return representations ? representations->nodes() : none;
    }
};

} // namespace loopscope
