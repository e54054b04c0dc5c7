#include "views/loops/loop_reasons.h"

#include "views/loops/loop_tree_model.h"
#include "views/session/session.h"
#include "views/session/text.h"

#include <QAbstractItemModel>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace loopscope {

namespace {

using RowName = std::pair<QString, QString>; // stage and iterator; no iterator: the statement

bool isTraffic(CycleKind kind) {
    return kind == CycleKind::L2Loads || kind == CycleKind::L3Loads || kind == CycleKind::MemoryLoads;
}

QString wholePercent(double share) { return QStringLiteral("%1\u2009%").arg(std::lround(100 * share)); }

RowReason reasonOf(const ExplainedLoop &loop, const Explained &explained, double largest) {
    RowReason reason;
    const ScheduleExplanation &schedule = explained.schedule;
    if (!loop.spent.empty()) {
        const CycleShare &most = loop.spent.front();
        reason.cycles = loop.cycles;
        reason.traffic = isTraffic(most.kind);
        reason.bound = QStringLiteral("%1 %2").arg(qt(cycleKindName(most.kind)), wholePercent(most.share));
        QStringList lines{
            QStringLiteral("%1 of the kernel's estimated cycles are spent inside:").arg(percentText(loop.cycles))};
        for (const CycleShare &share : loop.spent)
            lines << QStringLiteral("%1  %2").arg(percentText(share.share), qt(cycleKindName(share.kind)));
        reason.boundTip = lines.join(u'\n');
    }
    if (!schedule.predicted) return reason;
    reason.scored = true;
    reason.score = loop.contribution;
    reason.relative = largest > 0 ? loop.contribution / largest : 0;
    QStringList lines{
        QStringLiteral("Adds %1 to the score of %2 that a model gives the schedule, with everything inside %3.")
            .arg(QString::number(loop.contribution, 'f', 3), QString::number(schedule.score, 'f', 3),
                 QString::number(loop.contributionInside, 'f', 3)),
        QStringLiteral("The score is a share of the best speed; %1 of it the model gives before it has seen a "
                       "feature. It learnt from %2.")
            .arg(QString::number(schedule.base, 'f', 3), trialCountText(explained.learntFrom))};
    reason.scoreTip = lines.join(u'\n');
    return reason;
}

} // namespace

std::vector<RowReason> reasonsOf(const LoopTree &tree, const Explained &explained) {
    std::vector<RowReason> reasons(tree.rows.size());
    double largest = 0;
    std::map<RowName, const ExplainedLoop *> known;
    for (const ExplainedLoop &loop : explained.schedule.loops) {
        largest = std::max(largest, std::fabs(loop.contribution));
        known.emplace(RowName(qt(loop.stageName), qt(loop.name)), &loop);
    }
    // A statement stands in the program several times: where its tile is filled, summed up, written back.
    std::map<QString, size_t> statement;
    for (size_t r = 0; r < tree.rows.size(); ++r) {
        const LoopRow &row = tree.rows[r];
        if (row.kind != RowKind::Statement || row.identity || row.stage.isEmpty()) continue;
        const auto [found, added] = statement.emplace(row.stage, r);
        if (!added && row.total > tree.rows[found->second].total) found->second = r;
    }
    for (size_t r = 0; r < tree.rows.size(); ++r) {
        const LoopRow &row = tree.rows[r];
        const bool loop = row.kind == RowKind::Loop;
        if (!loop &&
            (row.kind != RowKind::Statement || row.identity || row.stage.isEmpty() || statement[row.stage] != r))
            continue;
        const auto found = known.find(RowName(row.stage, loop ? row.iterator : QString()));
        if (found != known.end()) reasons[r] = reasonOf(*found->second, explained, largest);
    }
    return reasons;
}

LoopReasons::LoopReasons(Session &session, LoopTreeModel &model, QObject *parent)
    : QObject(parent), m_session(session), m_model(model) {
    connect(&model, &QAbstractItemModel::modelReset, this, &LoopReasons::refresh);
    connect(&session.explanations(), &Explanations::explained, this, [this](const ScheduleRef &ref) {
        if (m_model.tree() && m_model.tree()->ref == ref) refresh();
    });
}

void LoopReasons::refresh() {
    if (!m_model.tree()) return;
    const ExplainedPtr explained = m_session.explanations().of(m_model.tree()->ref);
    m_model.setReasons(explained && explained->problem.isEmpty() ? reasonsOf(*m_model.tree(), *explained)
                                                                 : std::vector<RowReason>());
}

} // namespace loopscope
