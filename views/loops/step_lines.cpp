#include "views/loops/step_lines.h"

#include "schedule/steps_json.h"
#include "views/loops/stage_loops.h"
#include "views/session/step_names.h"
#include "views/session/text.h"

#include <QStringList>

#include <algorithm>

namespace loopscope {

namespace {

const QString kArrow = QStringLiteral(" \u2192 ");
const QString kComma = QStringLiteral(", ");
const QString kTimes = QStringLiteral(" \u00d7 ");

QString extentText(int64_t extent) { return extent > 0 ? QString::number(extent) : QStringLiteral("?"); }

/// "64 → 2 × 4 × 8" of a split that left `parts` loops from `iter` on.
QString partsText(const LoopState &before, const LoopState *after, StageId id, IterId iter, size_t parts) {
    if (after == nullptr || iter.index() + parts > after->stage(id).iters.size()) return {};
    QStringList lengths;
    for (size_t p = 0; p < parts; ++p) lengths << extentText(after->stage(id).iters[iter.index() + p].extent);
    return extentText(before.stage(id).iters[iter.index()].extent) + kArrow + lengths.join(kTimes);
}

QString annotationWord(Annotation annotation) {
    switch (annotation) {
    case Annotation::None:
        return QStringLiteral("serial");
    case Annotation::Unroll:
        return QStringLiteral("unrolled");
    case Annotation::Vectorize:
        return QStringLiteral("vectorized");
    case Annotation::Parallel:
        return QStringLiteral("parallel");
    default:
        return qt(annotationText(annotation));
    }
}

/// Fills loop and parameters of a line from the step and the states around it.
struct Describe {
    const LoopState &before;
    const LoopState *after; // null: the step was refused
    StepLine &line;
    StepNames names{&before};

    void operator()(const AnnotateStep &s) {
        line.loop = names.loop(s.stage, s.iter);
        line.parameters = annotationWord(s.annotation);
    }
    void operator()(const FuseStep &s) {
        line.loop = names.loops(s.stage, s.iters).join(kComma);
        if (after != nullptr && !s.iters.empty())
            line.parameters = kArrow.trimmed() + u' ' + StepNames(after).loop(s.stage, s.iters.front());
    }
    void operator()(const PragmaStep &s) {
        line.loop = names.loop(s.stage, s.iter);
        const QString text = qt(s.text);
        const QString limit = text.section(u'$', 1);
        line.parameters = text.startsWith(QLatin1String("auto_unroll_max_step"))
                              ? QStringLiteral("unroll up to %1 steps").arg(limit)
                              : text;
    }
    void operator()(const ReorderStep &s) { line.parameters = names.loops(s.stage, s.order).join(kComma); }
    void operator()(const SplitStep &s) {
        line.loop = names.loop(s.stage, s.iter);
        line.parameters = partsText(before, after, s.stage, s.iter, s.lengths.size() + 1);
    }
    void operator()(const FollowSplitStep &s) {
        line.loop = names.loop(s.stage, s.iter);
        line.parameters = QStringLiteral("as step %1: ").arg(s.source.value) +
                          partsText(before, after, s.stage, s.iter, static_cast<size_t>(s.parts) + 1);
    }
    void operator()(const FollowFusedSplitStep &s) {
        line.loop = names.loop(s.stage, s.iter);
        QStringList sources;
        for (const StepId source : s.sources) sources << QString::number(source.value);
        line.parameters = QStringLiteral("as level %1 of steps %2 fused: ").arg(s.level).arg(sources.join(u',')) +
                          partsText(before, after, s.stage, s.iter, 2);
    }
    void operator()(const StorageAlignStep &s) {
        line.loop = names.loop(s.stage, s.iter);
        line.parameters = QStringLiteral("rows to a multiple of %1, plus %2").arg(s.factor).arg(s.offset);
    }
    void operator()(const ComputeAtStep &s) {
        line.parameters =
            QStringLiteral("inside %1 of %2").arg(names.loop(s.target, s.targetIter), names.stage(s.target));
    }
    void operator()(const ComputeInlineStep &s) {
        if (after == nullptr) return;
        const QStringList readers = StepNames(after).stages(finalReaders(*after, s.stage));
        line.parameters = QStringLiteral("into ") + readers.join(kComma);
    }
    void operator()(const ComputeRootStep &) { line.parameters = QStringLiteral("on its own, outside all loops"); }
    void operator()(const CacheReadStep &s) {
        line.parameters =
            QStringLiteral("copy in %1 memory for %2").arg(qt(s.scope), names.stages(s.readers).join(kComma));
    }
    void operator()(const CacheWriteStep &s) {
        line.parameters = QStringLiteral("computed in %1 memory, then written").arg(qt(s.scope));
    }
    void operator()(const RfactorStep &s) {
        line.loop = names.loop(s.stage, s.iter);
        line.parameters = QStringLiteral("partial results, summed up by a second stage");
    }
};

StepLine lineOf(const Step &step, const LoopState *before, const LoopState *after) {
    StepLine line;
    line.tag = qt(stepTag(step));
    line.word = stepKind(step);
    line.json = qt(stepText(step));
    line.stage = StepNames(before).stage(stageOf(step));
    if (before != nullptr) std::visit(Describe{*before, after, line}, step);
    return line;
}

/// What a step touched, in the state right after it.
struct Touched {
    QString stage;
    std::vector<int> nodes; // of its iteration graph; empty: the whole stage
    std::vector<IterRelation> relations;
};

bool sameBeginning(const std::vector<IterRelation> &part, const std::vector<IterRelation> &all) {
    const auto same = [](const IterRelation &a, const IterRelation &b) {
        return a.kind == b.kind && a.parent == b.parent && a.outer == b.outer && a.inner == b.inner;
    };
    return part.size() <= all.size() && std::equal(part.begin(), part.end(), all.begin(), same);
}

std::vector<int> leafNodes(const LoopState &state, StageId id, IterId first, size_t count) {
    std::vector<int> nodes;
    const Stage &stage = state.stage(id);
    for (size_t i = first.index(); i < first.index() + count && i < stage.iters.size(); ++i)
        nodes.push_back(stage.iters[i].node);
    return nodes;
}

struct Touch {
    const LoopState &before;
    const LoopState &after;

    [[nodiscard]] Touched whole(StageId id) const { return {StepNames(&after).stage(id), {}, {}}; }
    [[nodiscard]] Touched loops(StageId id, IterId first, size_t count) const {
        return {StepNames(&after).stage(id), leafNodes(after, id, first, count), after.stage(id).relations};
    }
    /// Stages that were not there before.
    [[nodiscard]] std::vector<Touched> added() const {
        std::vector<Touched> result;
        for (size_t i = 0; i < after.stageCount(); ++i) {
            const QString name = StepNames(&after).stage(StageId(i));
            bool known = false;
            for (size_t k = 0; k < before.stageCount(); ++k) known |= StepNames(&before).stage(StageId(k)) == name;
            if (!known) result.push_back({name, {}, {}});
        }
        return result;
    }

    std::vector<Touched> operator()(const AnnotateStep &s) const { return {loops(s.stage, s.iter, 1)}; }
    std::vector<Touched> operator()(const FuseStep &s) const {
        return {s.iters.empty() ? whole(s.stage) : loops(s.stage, s.iters.front(), 1)};
    }
    std::vector<Touched> operator()(const PragmaStep &s) const { return {loops(s.stage, s.iter, 1)}; }
    std::vector<Touched> operator()(const ReorderStep &s) const { return {whole(s.stage)}; }
    std::vector<Touched> operator()(const SplitStep &s) const { return {loops(s.stage, s.iter, s.lengths.size() + 1)}; }
    std::vector<Touched> operator()(const FollowSplitStep &s) const {
        return {loops(s.stage, s.iter, static_cast<size_t>(s.parts) + 1)};
    }
    std::vector<Touched> operator()(const FollowFusedSplitStep &s) const { return {loops(s.stage, s.iter, 2)}; }
    std::vector<Touched> operator()(const StorageAlignStep &s) const { return {whole(s.stage)}; }
    std::vector<Touched> operator()(const ComputeAtStep &s) const {
        return {whole(s.stage), loops(s.target, s.targetIter, 1)};
    }
    std::vector<Touched> operator()(const ComputeInlineStep &s) const { return {whole(s.stage)}; }
    std::vector<Touched> operator()(const ComputeRootStep &s) const { return {whole(s.stage)}; }
    std::vector<Touched> operator()(const CacheReadStep &) const { return added(); }
    std::vector<Touched> operator()(const CacheWriteStep &) const { return added(); }
    std::vector<Touched> operator()(const RfactorStep &) const { return added(); }
};

/// The same loops in the finished schedule: those a later step made of them, for example.
std::vector<LoopTarget> finalTargets(const LoopState &last, const std::vector<Touched> &touched) {
    std::vector<LoopTarget> targets;
    for (const Touched &part : touched) {
        LoopTarget whole{part.stage, {}};
        const auto found = [&]() -> const Stage * {
            for (size_t i = 0; i < last.stageCount(); ++i)
                if (StepNames(&last).stage(StageId(i)) == part.stage) return &last.stage(StageId(i));
            return nullptr;
        }();
        // A cache step or rfactor may have given the name to a new stage since: then the stage is all that can be said.
        if (part.nodes.empty() || found == nullptr || !sameBeginning(part.relations, found->relations)) {
            targets.push_back(std::move(whole));
            continue;
        }
        for (const int leaf : leavesBelow(*found, part.nodes))
            targets.push_back({part.stage, qt(found->iters[static_cast<size_t>(leaf)].name)});
    }
    return targets;
}

} // namespace

std::vector<StepLine> describeSteps(const DagPtr &dag, const Steps &steps) {
    std::vector<StepLine> lines;
    std::vector<std::vector<Touched>> touched;
    const std::optional<LoopState> last = replayNamed(dag, steps, [&](const AppliedStep &applied) {
        StepLine line = lineOf(applied.step, applied.before, applied.after);
        line.number = static_cast<int>(lines.size());
        line.problem = applied.refusal;
        lines.push_back(std::move(line));
        touched.emplace_back();
        if (applied.after != nullptr) touched.back() = std::visit(Touch{*applied.before, *applied.after}, applied.step);
    });
    for (size_t k = 0; last && k < lines.size(); ++k) lines[k].targets = finalTargets(*last, touched[k]);
    return lines;
}

std::vector<StepLine> describeSteps(const EditedSteps &steps) {
    std::vector<StepLine> lines;
    LoopState before = steps.before(0);
    for (size_t i = 0; i < steps.size(); ++i) {
        const Step &step = steps.step(i);
        const Refused &refused = steps.refused(i);
        LoopState after = steps.after(i, before);
        StepLine line = lineOf(step, &before, refused ? nullptr : &after);
        line.number = static_cast<int>(i);
        if (refused)
            line.problem = qt(refused->sentence());
        else
            line.targets = finalTargets(steps.state(), std::visit(Touch{before, after}, step));
        lines.push_back(std::move(line));
        before = std::move(after);
    }
    return lines;
}

} // namespace loopscope
