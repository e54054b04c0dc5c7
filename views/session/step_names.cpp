#include "views/session/step_names.h"

#include "views/session/text.h"

namespace loopscope {

namespace {

const QString kComma = QStringLiteral(", ");

QString partsText(const SplitStep &split) {
    QStringList parts;
    for (const int64_t part : splitParts(split)) parts << (part > 0 ? QString::number(part) : QStringLiteral("?"));
    return parts.join(QStringLiteral(" \u00d7 "));
}

} // namespace

NamedStep nameStep(const StepNames &names, const Step &step) {
    NamedStep out;
    out.tag = qt(stepTag(step));
    out.stage = names.stage(stageOf(step));
    const auto say = [&](const QString &iterator, const QString &sentence) {
        out.iterator = iterator;
        out.sentence = sentence;
    };
    const QString &s = out.stage;
    const auto at = [&](const QString &loop) { return QStringLiteral("%1.%2").arg(s, loop); };
    std::visit(
        StepVisitor{
            [&](const AnnotateStep &a) {
                const QString loop = names.loop(a.stage, a.iter);
                const QString what = qt(annotationText(a.annotation));
                say(loop, QStringLiteral("%1 %2").arg(what, at(loop)));
            },
            [&](const FuseStep &f) {
                const QString loops = names.loops(f.stage, f.iters).join(kComma);
                say(loops, QStringLiteral("fuse %1: %2").arg(s, loops));
            },
            [&](const PragmaStep &p) {
                const QString loop = names.loop(p.stage, p.iter);
                QString text = qt(p.text);
                text.replace(QLatin1Char('$'), QLatin1Char(' '));
                say(loop, QStringLiteral("%1 from %2 inwards").arg(text, at(loop)));
            },
            [&](const ReorderStep &r) {
                const QString order = names.loops(r.stage, r.order).join(kComma);
                say({}, QStringLiteral("reorder %1: %2").arg(s, order));
            },
            [&](const SplitStep &sp) {
                const QString loop = names.loop(sp.stage, sp.iter);
                const QString parts = partsText(sp);
                say(loop, QStringLiteral("split %1 into %2").arg(at(loop), parts));
            },
            [&](const FollowSplitStep &f) {
                const QString loop = names.loop(f.stage, f.iter);
                const QString what = QStringLiteral("as step %1, in %2").arg(f.source.value).arg(f.parts + 1);
                say(loop, QStringLiteral("split %1 %2").arg(at(loop), what));
            },
            [&](const FollowFusedSplitStep &f) {
                const QString loop = names.loop(f.stage, f.iter);
                QStringList sources;
                for (const StepId id : f.sources) sources << QString::number(id.value);
                const QString what = QStringLiteral("as level %1 of steps %2, by %3")
                                         .arg(f.level)
                                         .arg(sources.join(QStringLiteral(", ")))
                                         .arg(f.factor ? QStringLiteral("factor") : QStringLiteral("parts"));
                say(loop, QStringLiteral("split %1 %2").arg(at(loop), what));
            },
            [&](const StorageAlignStep &a) {
                const QString loop = names.loop(a.stage, a.iter);
                const QString what = QStringLiteral("factor %1, offset %2").arg(a.factor).arg(a.offset);
                say(loop, QStringLiteral("align storage of %1: %2").arg(at(loop), what));
            },
            [&](const ComputeAtStep &c) {
                const QString where = QStringLiteral("at %1").arg(names.loopOfStage(c.target, c.targetIter));
                say({}, QStringLiteral("compute %1 %2").arg(s, where));
            },
            [&](const ComputeInlineStep &) { say({}, QStringLiteral("inline %1").arg(s)); },
            [&](const ComputeRootStep &) { say({}, QStringLiteral("compute %1 at root").arg(s)); },
            [&](const CacheReadStep &c) {
                const QString what =
                    QStringLiteral("%1, for %2").arg(qt(c.scope), names.stages(c.readers).join(kComma));
                say({}, QStringLiteral("copy %1 into %2").arg(s, what));
            },
            [&](const CacheWriteStep &c) { say({}, QStringLiteral("collect %1 in %2 first").arg(s, qt(c.scope))); },
            [&](const RfactorStep &r) {
                const QString loop = names.loop(r.stage, r.iter);
                say(loop, QStringLiteral("factor the reduction over %1").arg(at(loop)));
            },
        },
        step);
    return out;
}

QString stepKind(const Step &step) {
    return std::visit(StepVisitor{
                          [](const AnnotateStep &) { return QStringLiteral("annotate"); },
                          [](const FuseStep &) { return QStringLiteral("fuse"); },
                          [](const PragmaStep &) { return QStringLiteral("pragma"); },
                          [](const ReorderStep &) { return QStringLiteral("reorder"); },
                          [](const SplitStep &) { return QStringLiteral("split"); },
                          [](const FollowSplitStep &) { return QStringLiteral("follow split"); },
                          [](const FollowFusedSplitStep &) { return QStringLiteral("follow fused split"); },
                          [](const StorageAlignStep &) { return QStringLiteral("storage align"); },
                          [](const ComputeAtStep &) { return QStringLiteral("compute at"); },
                          [](const ComputeInlineStep &) { return QStringLiteral("inline"); },
                          [](const ComputeRootStep &) { return QStringLiteral("compute at root"); },
                          [](const CacheReadStep &) { return QStringLiteral("cache read"); },
                          [](const CacheWriteStep &) { return QStringLiteral("cache write"); },
                          [](const RfactorStep &) { return QStringLiteral("rfactor"); },
                      },
                      step);
}

bool StepNames::has(StageId id) const { return m_state && id.value >= 0 && id.index() < m_state->stageCount(); }

QString StepNames::stage(StageId id) const {
    if (!has(id)) return QStringLiteral("stage %1").arg(id.value);
    return qt(m_state->stage(id).op->name);
}

QString StepNames::loop(StageId id, IterId iter) const {
    if (!has(id) || iter.value < 0 || iter.index() >= m_state->stage(id).iters.size())
        return QStringLiteral("loop %1").arg(iter.value);
    return qt(m_state->stage(id).iters[iter.index()].name);
}

QString StepNames::loopOfStage(StageId id, IterId iter) const {
    return QStringLiteral("%1.%2").arg(stage(id), loop(id, iter));
}

QStringList StepNames::loops(StageId id, const std::vector<IterId> &iters) const {
    QStringList names;
    for (const IterId iter : iters) names << loop(id, iter);
    return names;
}

QStringList StepNames::stages(const std::vector<StageId> &ids) const {
    QStringList names;
    for (const StageId id : ids) names << stage(id);
    return names;
}

std::optional<LoopState> replayNamed(const DagPtr &dag, const Steps &steps,
                                     const std::function<void(const AppliedStep &)> &see) {
    std::optional<LoopState> reached;
    if (dag) reached.emplace(dag);
    bool known = reached.has_value();
    for (const Step &step : steps) {
        if (!known) {
            see({step, nullptr, nullptr, {}});
            continue;
        }
        Outcome<LoopState> next = reached->apply(step);
        known = static_cast<bool>(next);
        see({step, &*reached, known ? &*next : nullptr, known ? QString() : qt(next.why())});
        if (known) reached = std::move(next).value();
    }
    return reached;
}

std::vector<int64_t> splitParts(const SplitStep &split) {
    int64_t product = 1;
    bool open = false;
    for (const int64_t length : split.lengths) {
        open = open || length <= 0;
        if (!open && product < (int64_t(1) << 31)) product *= length;
    }
    const int64_t rest = open || split.extent <= 0 ? 0 : (split.extent + product - 1) / product;
    std::vector<int64_t> parts = split.lengths;
    parts.insert(split.innerToOuter ? parts.begin() : parts.end(), rest);
    return parts;
}

NamedSteps nameSteps(const DagPtr &dag, const Steps &steps) {
    NamedSteps out;
    out.steps.reserve(steps.size());
    replayNamed(dag, steps, [&out](const AppliedStep &applied) {
        out.steps.push_back(nameStep(applied.names(), applied.step));
        if (!applied.refusal.isEmpty()) out.refusal = applied.refusal;
    });
    return out;
}

} // namespace loopscope
