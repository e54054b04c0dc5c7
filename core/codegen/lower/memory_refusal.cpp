#include "codegen/lower/memory_refusal.h"

#include "codegen/loop_ir/walk.h"

#include <fmt/format.h>

namespace loopscope {

namespace {

/// The stage at root that a kernel computes: the last it stores to.
StageId kernelStage(Stmt kernel) {
    StageId last;
    forEachStmt(kernel, [&](Stmt s) {
        if (s->kind == StmtKind::Store && s->stage.value >= 0) last = s->stage;
    });
    return last;
}

} // namespace

Refusal memoryRefusal(const PassContext &context, Stmt kernel, MemoryScope scope, int64_t bytes, int most) {
    const bool shared = scope == MemoryScope::Shared;
    return Refusal{fmt::format("the stages computed inside {} keep {} bytes in {} memory, of which a {} of the target "
                               "has {}: shorten the tiles, or compute less of them there",
                               context.state.stage(kernelStage(kernel)).op->name, bytes, shared ? "shared" : "local",
                               shared ? "block" : "thread", most)};
}

} // namespace loopscope
