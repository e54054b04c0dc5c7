#pragma once
// What the code view shows of a schedule: its forms, and what is known of them so far.

#include "measure/disassembly.h"
#include "views/session/gpu_code.h"
#include "views/session/representation_cache.h"
#include "views/session/representations.h"
#include "views/session/selection.h"
#include "views/text/code_language.h"

#include <QString>

namespace loopscope {

/// For a GPU the source is CUDA C++ instead of C, the assembly PTX, and machine code what the GPU's own assembler makes
/// of that; for a processor the assembly says all.
enum class FormKind : uint8_t { Loops, C, Ir, Assembly, Machine };
inline constexpr int kFormKinds = 5;

QString formTitle(FormKind form, bool gpu);
QString formTip(FormKind form, bool gpu);
CodeLanguage formLanguage(FormKind form, bool gpu);
inline bool needsDisassembly(FormKind form) { return form != FormKind::Loops && form != FormKind::C; }

struct ScheduleTexts {
    ScheduleRef ref;
    bool gpu = false; // what it is for
    QString absent;   // why there is nothing at all to show; empty = there is a schedule
    RepresentationsPtr representations;
    bool formsPending = false;
    DisassemblyPtr disassembly;
    GpuCodePtr gpuCode; // beside the disassembly, for a GPU
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
