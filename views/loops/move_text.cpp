#include "views/loops/move_text.h"

#include "schedule/script/schedule_script.h"
#include "schedule/script/script_words.h"
#include "views/session/text.h"

#include <QStringList>

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

const std::string kUnrollPragma = "auto_unroll_max_step$";

QString loopName(const LoopState &state, StageId stage, IterId loop) { return qt(scriptLoop(state, stage, loop)); }
QString stageName(const LoopState &state, StageId stage) { return qt(scriptStage(state, stage)); }

bool setsUnrolling(const Step &step) {
    const auto *pragma = std::get_if<PragmaStep>(&step);
    return pragma != nullptr && pragma->text.starts_with(kUnrollPragma);
}

QString splitText(const SplitStep &step) {
    QStringList lengths;
    for (const int64_t length : step.lengths)
        lengths << (length == kUnfilled ? QStringLiteral("?") : QString::number(length));
    int64_t made = 1;
    for (const int64_t length : step.lengths) made *= length;
    QString list = lengths.join(QStringLiteral(" \u00d7 "));
    if (step.extent <= 0 || made <= 0 || step.extent % made != 0) return list;
    const QString rest = QString::number(step.extent / made);
    return step.innerToOuter ? rest + QStringLiteral(" \u00d7 ") + list : list + QStringLiteral(" \u00d7 ") + rest;
}

QString reorderText(const LoopState &state, const ReorderStep &step, IterId about) {
    const auto moved = movedLoop(step.order, about);
    if (!moved || moved->loop != about) return qt(scriptLine(state, step));
    if (moved->to == 0) return QStringLiteral("outermost");
    const QString outside = loopName(state, step.stage, step.order[static_cast<size_t>(moved->to) - 1]);
    return static_cast<size_t>(moved->to) + 1 == step.order.size() ? QStringLiteral("innermost, inside %1").arg(outside)
                                                                   : QStringLiteral("inside %1").arg(outside);
}

QString annotationName(Annotation annotation) {
    switch (annotation) {
    case Annotation::Parallel:
        return QStringLiteral("Parallel");
    case Annotation::Vectorize:
        return QStringLiteral("Vectorize");
    case Annotation::Unroll:
        return QStringLiteral("Unroll");
    default:
        return qt(annotationText(annotation));
    }
}

} // namespace

Step withKnownExtent(const LoopState &state, Step step) {
    if (auto *split = std::get_if<SplitStep>(&step); split != nullptr && split->extent == 0)
        split->extent = state.stage(split->stage).iters[split->iter.index()].extent;
    return step;
}

MoveGroup groupOf(const Step &step) {
    return std::visit(
        StepVisitor{
            [](const AnnotateStep &s) { return primitiveOf(s) == "bind" ? MoveGroup::Bind : MoveGroup::Annotate; },
            [](const FuseStep &) { return MoveGroup::Fuse; },
            [](const PragmaStep &s) { return setsUnrolling(s) ? MoveGroup::UnrollUpTo : MoveGroup::Other; },
            [](const ReorderStep &) { return MoveGroup::Reorder; },
            [](const SplitStep &) { return MoveGroup::Split; },
            [](const FollowSplitStep &) { return MoveGroup::FollowSplit; },
            [](const FollowFusedSplitStep &) { return MoveGroup::FollowSplit; },
            [](const StorageAlignStep &) { return MoveGroup::StorageAlign; },
            [](const ComputeAtStep &) { return MoveGroup::ComputeAt; },
            [](const ComputeInlineStep &) { return MoveGroup::Place; },
            [](const ComputeRootStep &) { return MoveGroup::Place; },
            [](const CacheReadStep &) { return MoveGroup::CacheRead; },
            [](const CacheWriteStep &) { return MoveGroup::CacheWrite; },
            [](const RfactorStep &) { return MoveGroup::Rfactor; },
        },
        step);
}

QString groupText(MoveGroup group) {
    switch (group) {
    case MoveGroup::Split:
        return QStringLiteral("Split into");
    case MoveGroup::FollowSplit:
        return QStringLiteral("Split as");
    case MoveGroup::Fuse:
        return QStringLiteral("Fuse with");
    case MoveGroup::Reorder:
        return QStringLiteral("Move");
    case MoveGroup::Bind:
        return QStringLiteral("Bind to");
    case MoveGroup::UnrollUpTo:
        return QStringLiteral("Unroll all loops up to");
    case MoveGroup::ComputeAt:
        return QStringLiteral("Compute inside");
    case MoveGroup::CacheRead:
        return QStringLiteral("Cache what is read by");
    case MoveGroup::CacheWrite:
        return QStringLiteral("Cache what is written");
    case MoveGroup::Rfactor:
        return QStringLiteral("Partial sums (rfactor)");
    case MoveGroup::StorageAlign:
        return QStringLiteral("Align rows");
    case MoveGroup::Annotate:
    case MoveGroup::Place:
    case MoveGroup::Other:
        break;
    }
    return {};
}

std::optional<MovedLoop> movedLoop(const std::vector<IterId> &order, IterId about) {
    const auto isMoved = [&](IterId loop) {
        std::vector<IterId> others;
        for (const IterId one : order)
            if (one != loop) others.push_back(one);
        return std::is_sorted(others.begin(), others.end());
    };
    const auto placed = [&](IterId loop) {
        return MovedLoop{loop, static_cast<int>(std::find(order.begin(), order.end(), loop) - order.begin())};
    };
    if (about.value >= 0 && isMoved(about)) return placed(about);
    for (const IterId loop : order)
        if (isMoved(loop)) return placed(loop);
    return std::nullopt;
}

bool concerns(const Step &step, const MoveTarget &target) {
    if (stageOf(step) != target.stage) return false;
    const auto isLoop = [&](IterId loop) { return target.isLoop() && loop == target.loop; };
    return std::visit(StepVisitor{
                          [&](const AnnotateStep &s) { return isLoop(s.iter); },
                          [&](const FuseStep &s) {
                              return target.isLoop() &&
                                     std::find(s.iters.begin(), s.iters.end(), target.loop) != s.iters.end();
                          },
                          [&](const PragmaStep &) { return true; }, // of the whole stage, whichever loop it names
                          [&](const ReorderStep &s) {
                              if (!target.isLoop()) return false;
                              const auto moved = movedLoop(s.order, target.loop);
                              return moved && moved->loop == target.loop;
                          },
                          [&](const SplitStep &s) { return isLoop(s.iter); },
                          [&](const FollowSplitStep &s) { return isLoop(s.iter); },
                          [&](const FollowFusedSplitStep &s) { return isLoop(s.iter); },
                          [&](const StorageAlignStep &s) { return isLoop(s.iter); },
                          [&](const RfactorStep &s) { return isLoop(s.iter); },
                          [](const auto &) { return true; },
                      },
                      step);
}

QString moveText(const LoopState &state, const Step &step, const MoveTarget &target) {
    return std::visit(
        StepVisitor{
            [](const SplitStep &s) { return splitText(s); },
            [&](const FuseStep &s) {
                QStringList others;
                for (const IterId loop : s.iters)
                    if (loop != target.loop) others << loopName(state, s.stage, loop);
                return others.join(QStringLiteral(", "));
            },
            [&](const ReorderStep &s) { return reorderText(state, s, target.loop); },
            [](const AnnotateStep &s) { return annotationName(s.annotation); },
            [](const PragmaStep &s) {
                if (!setsUnrolling(s)) return qt(s.text);
                const QString most = qt(s.text.substr(kUnrollPragma.size()));
                return most == QLatin1String("0") ? QStringLiteral("not at all") : most + QStringLiteral(" steps");
            },
            [&](const FollowSplitStep &s) {
                return QStringLiteral("step %1, %2")
                    .arg(s.source.value + 1)
                    .arg(countedText(static_cast<size_t>(s.parts) + 1, "part"));
            },
            [&](const ComputeAtStep &s) {
                return QStringLiteral("%1 of %2")
                    .arg(loopName(state, s.target, s.targetIter), stageName(state, s.target));
            },
            [](const ComputeInlineStep &) { return QStringLiteral("Compute inline"); },
            [](const ComputeRootStep &) { return QStringLiteral("Compute on its own (root)"); },
            [&](const CacheReadStep &s) {
                QStringList readers;
                for (const StageId reader : s.readers) readers << stageName(state, reader);
                return QStringLiteral("%1, in %2 memory").arg(readers.join(QStringLiteral(", ")), qt(s.scope));
            },
            [](const CacheWriteStep &s) { return QStringLiteral("in %1 memory").arg(qt(s.scope)); },
            [](const RfactorStep &s) {
                return s.factorIter == 0 ? QStringLiteral("as the outermost axis")
                                         : QStringLiteral("as axis %1, the innermost").arg(s.factorIter + 1);
            },
            [](const StorageAlignStep &s) {
                return QStringLiteral("to %1 elements and %2").arg(s.factor).arg(s.offset);
            },
            [](const FollowFusedSplitStep &s) {
                QStringList sources;
                for (const StepId source : s.sources) sources << QString::number(source.value + 1);
                return QStringLiteral("steps %1 multiplied, part %2")
                    .arg(sources.join(QStringLiteral(", ")))
                    .arg(s.level + 2);
            },
        },
        step);
}

QString targetText(const LoopState &state, const MoveTarget &target) {
    const QString stage = stageName(state, target.stage);
    return target.isLoop() ? QStringLiteral("loop %1 of %2").arg(loopName(state, target.stage, target.loop), stage)
                           : QStringLiteral("stage %1").arg(stage);
}

QString changeText(double change) {
    if (change >= 2) return QStringLiteral("\u00d7%1").arg(change + 1, 0, 'f', change < 9 ? 1 : 0);
    const double percent = 100 * std::fabs(change);
    const int digits = percent < 9.95 ? 1 : 0;
    if (percent < 0.05) return QStringLiteral("0 %");
    return QStringLiteral("%1%2 %").arg(change < 0 ? QChar(0x2212) : QChar(u'+')).arg(percent, 0, 'f', digits);
}

} // namespace loopscope
