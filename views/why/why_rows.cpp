#include "views/why/why_rows.h"

#include "views/session/baseline.h"
#include "views/session/text.h"

#include <algorithm>
#include <array>

namespace loopscope {

namespace {

QString loopNameOf(const ProgramNode &node) {
    const QString name = node.iterator.isEmpty() ? node.text : node.iterator;
    return node.stage.isEmpty() ? name : node.stage + u'.' + name;
}

} // namespace

const ProgramNode *loopAtLine(const std::vector<ProgramNode> &nodes, int line) {
    const ProgramNode *innermost = nullptr;
    if (line <= 0) return innermost;
    for (const ProgramNode &node : nodes) {
        if (node.kind != StmtKind::For || node.line > line || node.lastLine < line) continue;
        if (innermost == nullptr || node.line > innermost->line) innermost = &node;
    }
    return innermost;
}

std::vector<WhyRow> remarkRows(const std::vector<CompilerRemark> &remarks, const std::vector<ProgramNode> &nodes) {
    std::vector<WhyRow> rows;
    for (const CompilerRemark &remark : remarks) {
        const ProgramNode *loop = loopAtLine(nodes, remark.programLine);
        QString text = asSentence(qt(remark.text));
        if (remark.times > 1) text += QObject::tr(" (%1 times)").arg(remark.times);
        QString tip = text + u'\n' +
                      QObject::tr("%1, %2: %3").arg(qt(remark.pass), qt(remark.name), qt(remarkKindName(remark.kind)));
        if (remark.ofCopy)
            tip += u'\n' + QObject::tr("Asked of a copy of the finished code: kernels do not run through this pass.");
        rows.push_back({{loop != nullptr ? loopNameOf(*loop) : QObject::tr("all"),
                         remark.ofCopy ? qt(remark.pass) + u'*' : qt(remark.pass), text},
                        tip});
    }
    return rows;
}

namespace {

bool noneTimed(const Advice &advice, const TaskState &state) {
    return !advice.nearest.empty() && std::ranges::all_of(advice.nearest, [&](const Advice::Near &near) {
        return state.trials[static_cast<size_t>(near.trial)].untimed();
    });
}

} // namespace

std::vector<WhyRow> moveRows(const Advice &advice) {
    std::vector<WhyRow> rows;
    for (const BestMove &move : advice.moves)
        rows.push_back({{deltaText(move.change), qt(move.line)},
                        QObject::tr("%1 of the time, as %2 has it. Double-click or Enter makes the step.")
                            .arg(deltaText(move.change), advice.byModel ? QObject::tr("a model that learnt the trials")
                                                                        : QObject::tr("the analytic estimate"))});
    return rows;
}

std::vector<WhyRow> neighbourRows(const Advice &advice, const TaskState &state) {
    std::vector<WhyRow> rows;
    for (const Advice::Near &near : advice.nearest) {
        const ScheduleRef trial{ScheduleRef::Kind::Trial, near.trial};
        const auto told = timeChange(state, trial, advice.ref);
        const double seconds = told ? told->seconds : firstSeconds(state, trial);
        const bool untimed = state.trials[static_cast<size_t>(near.trial)].untimed();
        QString time = seconds > 0 ? timeText(seconds) : untimed ? QObject::tr("not timed") : QObject::tr("failed");
        if (told && told->together) time += u'*';
        const auto baseline = againstBaseline(state, trial);
        const QString differs =
            near.differences.isEmpty() ? QObject::tr("the same steps") : near.differences.join(QStringLiteral("; "));
        QStringList tip = near.differences.isEmpty() ? QStringList{differs} : near.differences;
        if (seconds > 0)
            tip << (told && told->together ? QObject::tr("Timed in turn with the schedule shown.")
                                           : QObject::tr("As it was measured first, at another moment."));
        tip << againstBaselineTip(state, trial);
        tip.removeAll(QString());
        rows.push_back({{QString::number(near.trial + 1), time, told ? deltaText(told->change) : QString(),
                         baseline ? deltaText(baseline->change) : QString(), differs},
                        tip.join(u'\n')});
    }
    return rows;
}

QString nearestTitle(const Advice &advice, const TaskState &state) {
    return noneTimed(advice, state) ? QObject::tr("Nearest schedules") : QObject::tr("Nearest measured schedules");
}

QString neighbourTimes(const Advice &advice, const TaskState &state) {
    if (advice.nearest.empty()) return QObject::tr("nothing else was measured");
    if (noneTimed(advice, state)) return QObject::tr("their answers were checked, none was timed");
    const bool together = std::any_of(advice.nearest.begin(), advice.nearest.end(), [&](const Advice::Near &near) {
        const auto told = timeChange(state, {ScheduleRef::Kind::Trial, near.trial}, advice.ref);
        return told && told->together;
    });
    return together ? QObject::tr("* timed in turn, others as first measured") : QObject::tr("times as first measured");
}

QString explainedSentence(const Explained &explained) {
    if (!explained.problem.isEmpty()) return asSentence(explained.problem);
    const ScheduleExplanation &schedule = explained.schedule;
    QStringList parts;
    if (schedule.cycles > 0) {
        std::array<double, kCycleKinds> spent{};
        for (const ExplainedLoop &loop : schedule.loops)
            if (loop.depth == 0)
                for (const CycleShare &share : loop.spent)
                    spent[static_cast<size_t>(share.kind)] += loop.cycles * share.share;
        size_t most = 0;
        for (size_t kind = 1; kind < kCycleKinds; ++kind)
            if (spent[kind] > spent[most]) most = kind;
        parts << (schedule.ofGpu ? QObject::tr("Estimated %1 cycles on the busiest multiprocessor, %2 of them %3.")
                                 : QObject::tr("Estimated %1 cycles on the busiest core, %2 of them %3."))
                     .arg(countText(schedule.cycles), percentText(spent[most]),
                          qt(cycleKindName(static_cast<CycleKind>(most))));
    }
    if (schedule.predicted)
        parts << QObject::tr("A model that learnt from %1 gives it %2 of the best speed.")
                     .arg(trialCountText(explained.learntFrom))
                     .arg(schedule.score, 0, 'f', 3);
    else
        parts << QObject::tr("There are too few trials for a model of its own.");
    return parts.join(u' ');
}

} // namespace loopscope
