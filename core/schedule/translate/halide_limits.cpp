#include "schedule/translate/halide_limits.h"

#include "language/expr/walk.h"
#include "language/te/scan.h"
#include "schedule/translate/loop_moves.h"
#include "schedule/translate/step_search.h"

#include <fmt/format.h>

namespace loopscope {

namespace {

/// The expression reads the op, itself or through stages that are inlined.
bool reads(const LoopState &state, Expr e, const Op &of) {
    bool found = false;
    postOrder(e, [&](Expr node) {
        if (found || node->kind != ExprKind::Load) return;
        const Op *read = asTensor(node->symbol).op;
        found = read == &of;
        if (found || state.stage(StageId(state.dag()->indexOf(read))).location != ComputeLocation::Inlined) return;
        for (const Expr body : read->body) found = found || reads(state, body, of);
    });
    return found;
}

/// The first elements of a scan have loops of their own, which are called like those of its steps where no step changed
/// these.
std::optional<Refusal> checkAttached(const LoopState &state, StageId id) {
    const AttachPoint at = state.attachedTo(id);
    if (at.stage.value < 0) return std::nullopt;
    const Op &reader = *state.stage(at.stage).op;
    const std::optional<Scan> scan = scanOf(reader);
    if (!scan) return std::nullopt;
    const Iter &loop = state.stage(at.stage).iters[at.iter.index()];
    const auto axis = static_cast<size_t>(loop.node);
    if (axis < reader.axes.size() && axis != scan->axis) return std::nullopt;
    const Op &op = *state.stage(id).op;
    for (size_t k = 0; k < reader.body.size(); ++k)
        if (reads(state, scanStart(reader, k), op))
            return Refusal{fmt::format(
                "{} cannot be exported to Halide: {} is computed at loop {} of the scan {}, whose first elements read "
                "it outside of that loop; compute it at root",
                namedStep(state, id, [](const Step &step) { return std::holds_alternative<ComputeAtStep>(step); }),
                op.name, loop.name, reader.name)};
    return std::nullopt;
}

} // namespace

std::optional<Refusal> whyNotHalide(const LoopState &state, StageId id) {
    const Stage &stage = state.stage(id);
    for (const Iter &iter : stage.iters) {
        const Annotation annotation = iter.annotation;
        if (annotation > Annotation::Parallel)
            return Refusal{
                fmt::format("{} cannot be exported: it binds loop {} of {} to {}, and what is exported runs on "
                            "processors",
                            namedStep(state, id,
                                      [&](const Step &step) {
                                          const auto *annotate = std::get_if<AnnotateStep>(&step);
                                          return annotate != nullptr && annotate->annotation == annotation;
                                      }),
                            iter.name, stage.op->name, annotationText(annotation))};
    }
    if (hasUnitLoops(stage))
        return Refusal{fmt::format(
            "{} cannot be exported: it makes a loop of none around {}, which Halide does not know; leave it out",
            namedStep(state, id, [](const Step &step) { return std::holds_alternative<FuseStep>(step); }),
            stage.op->name)};
    return checkAttached(state, id);
}

} // namespace loopscope
