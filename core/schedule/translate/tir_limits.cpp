#include "schedule/translate/tir_limits.h"

#include "language/expr/walk.h"
#include "schedule/translate/loop_moves.h"
#include "schedule/translate/step_search.h"

#include <algorithm>
#include <fmt/format.h>

namespace loopscope {

namespace {

bool isRange(Annotation annotation) {
    return annotation == Annotation::None || annotation == Annotation::Unroll || annotation == Annotation::Vectorize ||
           annotation == Annotation::Parallel;
}

bool readsBfloat(const Op &op) {
    bool found = false;
    for (const Expr body : op.body) postOrder(body, [&](Expr e) { found = found || e->dtype == DType::BFloat16; });
    return found;
}

/// TensorIR does not count what stands in an index among what a block reads, so that it can neither be copied for
/// the block nor be computed inside it.
std::optional<Refusal> checkIndexed(const LoopState &state, StageId id) {
    const Stage &stage = state.stage(id);
    const bool moved = stage.location != ComputeLocation::Root;
    const auto madeBy = [](const Step &step) {
        return std::holds_alternative<ComputeAtStep>(step) || std::holds_alternative<ComputeInlineStep>(step) ||
               std::holds_alternative<CacheReadStep>(step);
    };
    if (!moved && stage.scope.empty()) return std::nullopt;
    for (const OpPtr &reader : state.dag()->ops()) {
        bool indexed = false;
        for (const Expr body : reader->body)
            postOrder(body, [&](Expr e) {
                if (e->kind != ExprKind::Load) return;
                for (const Expr index : e->operands())
                    postOrder(index, [&](Expr inner) {
                        indexed =
                            indexed || (inner->kind == ExprKind::Load && asTensor(inner->symbol).op == stage.op.get());
                    });
            });
        if (indexed)
            return Refusal{fmt::format("{} cannot be exported: {} is read in an index of {}, which TensorIR does not "
                                       "count as reading; leave the step out",
                                       namedStep(state, id, madeBy), stage.op->name, reader->name)};
    }
    return std::nullopt;
}

bool readsAtReadIndex(Expr body, const Op &op) {
    bool found = false;
    postOrder(body, [&](Expr e) {
        if (e->kind != ExprKind::Load || asTensor(e->symbol).op != &op) return;
        for (const Expr index : e->operands()) found = found || containsLoad(index);
    });
    return found;
}

/// What a condition says of an index takes away the limits that the index itself has, and a region of any index is
/// none.
std::optional<Refusal> checkRegion(const LoopState &state, StageId id) {
    const Stage &stage = state.stage(id);
    if (stage.location != ComputeLocation::Attached) return std::nullopt;
    for (const OpPtr &reader : state.dag()->ops())
        for (const Expr body : reader->body) {
            bool limited = false;
            postOrder(body, [&](Expr e) {
                const bool chooses =
                    e->kind == ExprKind::Select || (e->kind == ExprKind::Call && e->intrinsic == Intrinsic::IfThenElse);
                limited = limited || (chooses && containsLoad(e->arg(0)) && readsAtReadIndex(e, *stage.op));
            });
            if (!limited) continue;
            return Refusal{fmt::format(
                "{} cannot be exported: {} reads {} at indices that it reads and a condition limits, of which TensorIR "
                "finds no region; compute {} at the root",
                namedStep(state, id, [](const Step &step) { return std::holds_alternative<ComputeAtStep>(step); }),
                reader->name, stage.op->name, stage.op->name)};
        }
    return std::nullopt;
}

} // namespace

std::optional<Refusal> whyNotTensorIr(const LoopState &state, StageId id) {
    const Stage &stage = state.stage(id);
    for (const Iter &iter : stage.iters)
        if (!isRange(iter.annotation))
            return Refusal{fmt::format(
                "{} cannot be exported: it binds loop {} of {} to {}, and what is exported runs on processors",
                namedStep(state, id,
                          [&](const Step &step) {
                              const auto *annotate = std::get_if<AnnotateStep>(&step);
                              return annotate != nullptr && annotate->annotation == iter.annotation;
                          }),
                iter.name, stage.op->name, annotationText(iter.annotation))};
    if (stage.op->outputs.size() > 1 && !stage.op->reduction)
        return Refusal{fmt::format("{} cannot be exported: {} has {} outputs and reduces nothing, for which "
                                   "TensorIR has a block each; leave the step out",
                                   namedStep(state, id,
                                             [](const Step &step) {
                                                 return std::holds_alternative<CacheWriteStep>(step) ||
                                                        std::holds_alternative<RfactorStep>(step);
                                             }),
                                   stage.op->name, stage.op->outputs.size())};
    if (stage.op->outputs.size() > 1 && readsBfloat(*stage.op))
        return Refusal{fmt::format("{} cannot be exported to TensorIR: TVM 0.27 takes the bits of bfloat16 for numbers "
                                   "in a reduction with several outputs; convert them to float32 in a stage of its "
                                   "own in front",
                                   stage.op->name)};
    if (hasUnitLoops(stage))
        return Refusal{fmt::format(
            "{} cannot be exported: it makes a loop of none around {}, which TensorIR does not know; leave it out",
            namedStep(state, id, [](const Step &step) { return std::holds_alternative<FuseStep>(step); }),
            stage.op->name)};
    if (auto refused = checkIndexed(state, id)) return refused;
    return checkRegion(state, id);
}

} // namespace loopscope
