#include "views/logs/near_page.h"

#include "records/logs/log_curve.h"
#include "views/logs/findings_model.h"
#include "views/logs/log_table.h"
#include "views/session/jobs.h"
#include "views/session/text.h"

#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>
#include <shared_mutex>
#include <utility>

namespace loopscope {

namespace {

/// What the window shows of what was found.
struct NearRows {
    std::vector<FindingRow> rows;
    QString about;
};

} // namespace

QString aboutNear(const FoundDuplicates &found) {
    const QString alike = found.replayed ? QStringLiteral("differ in one number alone, or come to the same loops")
                                         : QStringLiteral("differ in one number alone");
    QString text;
    if (found.groupsInAll == 0)
        text = QStringLiteral("No two schedules %1.").arg(alike);
    else
        text = QStringLiteral("Schedules that %1: %2, of which %3 apart by more than times scatter.")
                   .arg(alike, countedText(found.groupsInAll, "group"), countedText(found.apart, "is", "are"));
    if (!found.replayed)
        text += QStringLiteral(" Whether other steps come to the same loops is shown where the workload is known.");
    if (found.groups.size() < found.groupsInAll)
        text += QStringLiteral(" The first %1 are listed.").arg(found.groups.size());
    if (found.looked < found.of)
        text += QStringLiteral(" Of %1, the %2 fastest were looked at.")
                    .arg(countedText(found.of, "schedule"))
                    .arg(found.looked);
    return text;
}

std::vector<FindingRow> nearRows(const FoundDuplicates &found, const LogDocument &log) {
    std::vector<FindingRow> rows;
    for (const NearDuplicates &group : found.groups) {
        QStringList values;
        QStringList told;
        for (const NearDuplicates::Member &member : group.members) {
            const LogRow &row = log.row(member.record);
            if (!member.value.empty()) values << qt(member.value);
            told << QStringLiteral("%1line %2: %3")
                        .arg(member.value.empty() ? QString() : qt(member.value) + QStringLiteral(", "))
                        .arg(row.line)
                        .arg(timeText(row.seconds));
        }
        const LogRow &fastest = log.row(group.members.front().record);
        const LogRow &slowest = log.row(group.members.back().record);
        rows.push_back({{QStringLiteral("%1\u00d7").arg(group.ratio, 0, 'f', 2),
                         group.apart() ? QStringLiteral("apart") : QStringLiteral("within noise"),
                         values.join(QStringLiteral(", ")),
                         group.where.empty() ? QStringLiteral("the same loops by other steps") : qt(group.where),
                         QString::number(group.members.size()), timeText(fastest.seconds), timeText(slowest.seconds),
                         QString::number(fastest.line)},
                        told.mid(0, 30).join(u'\n'),
                        group.members.front().record});
    }
    return rows;
}

NearPage::NearPage(Jobs &jobs, QWidget *parent) : QWidget(parent), m_jobs(jobs), m_about(new QLabel(this)) {
    setObjectName(QStringLiteral("near_page"));
    m_about->setObjectName(QStringLiteral("about_near"));
    m_about->setWordWrap(true);
    m_about->setMargin(6);
    m_model = new FindingsModel({tr("Apart"), tr("Verdict"), tr("Values, the fastest first"), tr("Differ in"),
                                 tr("Records"), tr("Fastest"), tr("Slowest"), tr("Line")},
                                {0, 4, 5, 6, 7}, this);
    m_table = newLogTable(m_model, QStringLiteral("near"), tr("Near duplicates"), this);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_about);
    column->addWidget(m_table, 1);
    const auto ask = [this](const QModelIndex &index) {
        if (const size_t record = m_model->recordAt(index); record != SIZE_MAX) Q_EMIT recordAsked(record);
    };
    connect(m_table, &QTableView::clicked, this, ask);
    connect(m_table, &QTableView::activated, this, ask);
}

void NearPage::look(const OpenLog *shown, int task, const DagPtr &dag) {
    m_log = shown != nullptr ? shown->log : nullptr;
    m_dag = dag;
    m_wanted = {shown != nullptr ? shown->id : 0, task, dag != nullptr};
    if (isVisible()) seek();
}

void NearPage::showEvent(QShowEvent *event) {
    QWidget::showEvent(event);
    seek();
}

void NearPage::tell(const QString &about) {
    m_model->show({});
    m_about->setText(about);
    m_about->show();
}

void NearPage::seek() {
    if (!m_log || m_wanted.task < 0) {
        m_jobs.cancel(std::exchange(m_job, 0));
        m_sought = {};
        return tell(tr("Choose a task: which of its records are nearly the same is shown here."));
    }
    if (m_sought == m_wanted) return;
    m_jobs.cancel(std::exchange(m_job, 0));
    m_sought = m_wanted;
    tell(tr("Looking for records that are nearly the same \u2026"));
    m_job = m_jobs.start(
        tr("looking for near duplicates"), this,
        [followed = m_log, task = m_wanted.task, dag = m_dag](JobControl &control) {
            const std::shared_lock reading(followed->reading);
            const LogDocument &log = followed->document;
            const FoundDuplicates found = nearDuplicates(log, recordsOfTask(log, static_cast<size_t>(task)),
                                                         {.dag = dag, .cancelled = &control.cancelFlag()});
            return NearRows{nearRows(found, log), aboutNear(found)};
        },
        [this, sought = m_sought](const NearRows &found) {
            m_job = 0;
            if (sought != m_sought) return;
            m_model->show(found.rows);
            m_about->setText(found.about);
            m_table->resizeColumnsToContents();
        },
        [this](const QString &problem) {
            m_job = 0;
            tell(problem);
        });
}

} // namespace loopscope
