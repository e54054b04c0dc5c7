#include "codegen/lower/passes.h"

#include "codegen/loop_ir/walk.h"
#include "language/expr/interval.h"

#include <algorithm>
#include <optional>

namespace loopscope {

namespace {

/// Iterations would write the same element: loops of a reduction, also fused with spatial ones.
bool carriesReduction(Stmt loop) { return runsOver(loop, IterKind::Reduction) || runsOver(loop, IterKind::Mixed); }

/// Stores a statement executes, every guard taken; `enough` when a trip count is not known.
int64_t storesOf(Stmt stmt, int64_t enough) {
    if (stmt->kind == StmtKind::Store) return 1;
    int64_t stores = 0;
    for (const Stmt child : stmt->body()) stores = addSaturating(stores, storesOf(child, enough));
    if (stmt->kind != StmtKind::For) return stores;
    const int64_t extent = constantExtent(stmt);
    return extent < 0 ? enough : mulSaturating(stores, extent);
}

bool worthThreads(Stmt loop, const Target &target) {
    return storesOf(loop, target.minParallelStores) >= target.minParallelStores;
}

/// Why the loop cannot be what it is annotated as.
using WhySerial = std::optional<SerialisedLoop::Why> (*)(const PassContext &context, Stmt loop, bool insideParallel);

std::optional<SerialisedLoop::Why> whySerialOnProcessor(const PassContext &context, Stmt loop, bool insideParallel) {
    const bool parallel = loop->loop == LoopKind::Parallel;
    if ((parallel || loop->loop == LoopKind::Vectorized) && carriesReduction(loop))
        return SerialisedLoop::Why::CarriesReduction;
    if (parallel && insideParallel) return SerialisedLoop::Why::InsideParallel;
    if (parallel && !worthThreads(loop, context.target)) return SerialisedLoop::Why::LittleWork;
    return std::nullopt;
}

std::optional<SerialisedLoop::Why> whySerialOnGpu(const PassContext &, Stmt loop, bool) {
    if (loop->loop == LoopKind::Parallel) return SerialisedLoop::Why::OnGpu;
    if (loop->loop == LoopKind::Vectorized && carriesReduction(loop)) return SerialisedLoop::Why::CarriesReduction;
    return std::nullopt;
}

Stmt legalise(const PassContext &context, WhySerial whySerial, Stmt stmt, bool insideParallel,
              std::vector<SerialisedLoop> &serialised) {
    StmtNode node = *stmt.node();
    if (stmt->kind == StmtKind::For) {
        if (const auto why = whySerial(context, stmt, insideParallel)) {
            node.loop = LoopKind::Serial;
            const SerialisedLoop loop{*why, stmt->loop, stmt->stage, stmt->iter,
                                      stmt->iterName == nullptr ? "" : stmt->iterName};
            if (std::find(serialised.begin(), serialised.end(), loop) == serialised.end()) serialised.push_back(loop);
        }
        insideParallel = insideParallel || node.loop == LoopKind::Parallel;
    }
    std::vector<Stmt> children;
    for (const Stmt child : stmt->body())
        children.push_back(legalise(context, whySerial, child, insideParallel, serialised));
    if (node.loop == stmt->loop) return withChildren(stmt, children);
    return withChildren(newStmt(node), children);
}

} // namespace

void legaliseAnnotations(LoopProgram &program, const PassContext &context) {
    program.root = legalise(context, whySerialOnProcessor, program.root, false, program.serialised);
    numberNodes(program);
}

void legaliseGpuAnnotations(LoopProgram &program, const PassContext &context) {
    for (SerialisedLoop &inside : program.serialised) inside.why = SerialisedLoop::Why::OnGpu;
    program.root = legalise(context, whySerialOnGpu, program.root, false, program.serialised);
    numberNodes(program);
}

} // namespace loopscope
