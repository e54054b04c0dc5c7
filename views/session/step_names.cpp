#include "views/session/step_names.h"

#include "schedule/stepwise_replay.h"
#include "views/session/text.h"

namespace loopscope {

namespace {

/// Reads names off the state in front of a step; numbers where there is no such stage or loop.
class Namer {
  public:
    explicit Namer(const LoopState *state) : m_state(state) {} // null: numbers are all there is

    [[nodiscard]] QString stage(StageId id) const {
        if (!has(id)) return QStringLiteral("stage %1").arg(id.value);
        return qt(m_state->stage(id).op->name);
    }
    [[nodiscard]] QString loop(StageId id, IterId iter) const {
        if (!has(id) || iter.value < 0 || iter.index() >= m_state->stage(id).iters.size())
            return QStringLiteral("loop %1").arg(iter.value);
        return qt(m_state->stage(id).iters[iter.index()].name);
    }
    [[nodiscard]] QString loops(StageId id, const std::vector<IterId> &iters) const {
        QStringList names;
        for (const IterId iter : iters) names << loop(id, iter);
        return names.join(QStringLiteral(", "));
    }
    [[nodiscard]] QString stages(const std::vector<StageId> &ids) const {
        QStringList names;
        for (const StageId id : ids) names << stage(id);
        return names.join(QStringLiteral(", "));
    }

  private:
    [[nodiscard]] bool has(StageId id) const { return m_state && id.value >= 0 && id.index() < m_state->stageCount(); }
    const LoopState *m_state;
};

QString partsText(const SplitStep &split) {
    QStringList parts;
    for (const int64_t part : splitParts(split)) parts << (part > 0 ? QString::number(part) : QStringLiteral("?"));
    return parts.join(QStringLiteral(" \u00d7 "));
}

NamedStep named(const Namer &names, const Step &step) {
    NamedStep out;
    out.tag = qt(stepTag(step));
    out.stage = names.stage(stageOf(step));
    const auto say = [&](const char *kind, const QString &iterator, const QString &detail, const QString &sentence) {
        out.kind = QLatin1String(kind);
        out.iterator = iterator;
        out.detail = detail;
        out.sentence = sentence;
    };
    const QString &s = out.stage;
    const auto at = [&](const QString &loop) { return QStringLiteral("%1.%2").arg(s, loop); };
    std::visit(
        StepVisitor{
            [&](const AnnotateStep &a) {
                const QString loop = names.loop(a.stage, a.iter);
                const QString what = qt(annotationText(a.annotation));
                say("annotate", loop, what, QStringLiteral("%1 %2").arg(what, at(loop)));
            },
            [&](const FuseStep &f) {
                const QString loops = names.loops(f.stage, f.iters);
                say("fuse", loops, {}, QStringLiteral("fuse %1: %2").arg(s, loops));
            },
            [&](const PragmaStep &p) {
                const QString loop = names.loop(p.stage, p.iter);
                QString text = qt(p.text);
                text.replace(QLatin1Char('$'), QLatin1Char(' '));
                say("pragma", loop, text, QStringLiteral("%1 from %2 inwards").arg(text, at(loop)));
            },
            [&](const ReorderStep &r) {
                const QString order = names.loops(r.stage, r.order);
                say("reorder", {}, order, QStringLiteral("reorder %1: %2").arg(s, order));
            },
            [&](const SplitStep &sp) {
                const QString loop = names.loop(sp.stage, sp.iter);
                const QString parts = partsText(sp);
                say("split", loop, parts, QStringLiteral("split %1 into %2").arg(at(loop), parts));
            },
            [&](const FollowSplitStep &f) {
                const QString loop = names.loop(f.stage, f.iter);
                const QString what = QStringLiteral("as step %1, in %2").arg(f.source.value).arg(f.parts + 1);
                say("follow split", loop, what, QStringLiteral("split %1 %2").arg(at(loop), what));
            },
            [&](const FollowFusedSplitStep &f) {
                const QString loop = names.loop(f.stage, f.iter);
                QStringList sources;
                for (const StepId id : f.sources) sources << QString::number(id.value);
                const QString what = QStringLiteral("as level %1 of steps %2, by %3")
                                         .arg(f.level)
                                         .arg(sources.join(QStringLiteral(", ")))
                                         .arg(f.factor ? QStringLiteral("factor") : QStringLiteral("parts"));
                say("follow fused split", loop, what, QStringLiteral("split %1 %2").arg(at(loop), what));
            },
            [&](const StorageAlignStep &a) {
                const QString loop = names.loop(a.stage, a.iter);
                const QString what = QStringLiteral("factor %1, offset %2").arg(a.factor).arg(a.offset);
                say("align storage", loop, what, QStringLiteral("align storage of %1: %2").arg(at(loop), what));
            },
            [&](const ComputeAtStep &c) {
                const QString where =
                    QStringLiteral("at %1.%2").arg(names.stage(c.target), names.loop(c.target, c.targetIter));
                say("compute at", {}, where, QStringLiteral("compute %1 %2").arg(s, where));
            },
            [&](const ComputeInlineStep &) { say("inline", {}, {}, QStringLiteral("inline %1").arg(s)); },
            [&](const ComputeRootStep &) {
                say("compute at root", {}, {}, QStringLiteral("compute %1 at root").arg(s));
            },
            [&](const CacheReadStep &c) {
                const QString what = QStringLiteral("%1, for %2").arg(qt(c.scope), names.stages(c.readers));
                say("cache read", {}, what, QStringLiteral("copy %1 into %2").arg(s, what));
            },
            [&](const CacheWriteStep &c) {
                say("cache write", {}, qt(c.scope), QStringLiteral("collect %1 in %2 first").arg(s, qt(c.scope)));
            },
            [&](const RfactorStep &r) {
                const QString loop = names.loop(r.stage, r.iter);
                const QString what = QStringLiteral("as axis %1").arg(r.factorIter);
                say("factor reduction", loop, what, QStringLiteral("factor the reduction over %1").arg(at(loop)));
            },
        },
        step);
    return out;
}

} // namespace

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
    if (!dag) {
        for (const Step &step : steps) out.steps.push_back(named(Namer(nullptr), step));
        return out;
    }
    StepwiseReplay replay(dag, steps.size());
    for (const Step &step : steps) {
        const bool known = out.refusal.isEmpty();
        out.steps.push_back(named(Namer(known ? &replay.state() : nullptr), step));
        if (!known) continue;
        if (const Refused refused = replay.apply(step)) out.refusal = qt(refused->sentence());
    }
    return out;
}

} // namespace loopscope
