#include "views/logs/log_details.h"

#include "views/actions/flow_layout.h"
#include "views/logs/findings_model.h"
#include "views/logs/log_names.h"
#include "views/logs/log_plots.h"
#include "views/logs/log_table.h"
#include "views/logs/note_line.h"
#include "views/logs/repeat_strip.h"
#include "views/logs/unreadable_model.h"
#include "views/session/text.h"

#include <QLabel>
#include <QTableView>
#include <QTextBrowser>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <string>

namespace loopscope {

namespace {

QString lineOf(const OpenLog &log, uint32_t record) {
    return record < log.records() ? QString::number(log.row(record).line) : QString();
}

std::vector<FindingRow> failureRows(const TaskFindings &findings, const OpenLog &log) {
    std::vector<FindingRow> rows;
    for (const auto &kind : findings.failures) {
        QStringList lines;
        for (const uint32_t record : kind.examples) lines << lineOf(log, record);
        const QString reason = kind.reason.isEmpty() ? QStringLiteral("the log gives no reason") : kind.reason;
        rows.push_back(
            {{QString::number(kind.records), resultWord(kind.error), reason, lines.join(QStringLiteral(", "))},
             reason,
             kind.examples.empty() ? SIZE_MAX : kind.examples.front()});
    }
    return rows;
}

std::vector<FindingRow> groupRows(const std::vector<TaskFindings::Again> &groups, const OpenLog &log) {
    std::vector<FindingRow> rows;
    for (const auto &group : groups) {
        const uint32_t shown = group.best != UINT32_MAX ? group.best : group.first;
        const bool any = group.best != UINT32_MAX;
        rows.push_back({{QString::number(group.records), QString::number(group.failures),
                         any ? timeText(group.least) : QStringLiteral("\u2013"),
                         any ? timeText(group.greatest) : QStringLiteral("\u2013"), lineOf(log, shown)},
                        {},
                        shown});
    }
    return rows;
}

/// The best first, which the others are set against.
std::vector<FindingRow> closeRows(const CloseToBest &close, const OpenLog &log) {
    std::vector<FindingRow> rows;
    if (close.close.empty()) return rows;
    const auto add = [&](const CloseRecord &one, const QString &behind) {
        const LogRow &row = log.row(one.record);
        rows.push_back({{timeText(row.seconds), behind,
                         row.repeats > 1 ? percentText(noiseOf(row))
                                         : QStringLiteral("%1, taken for a single time").arg(percentText(noiseOf(row))),
                         QString::number(row.repeats), QString::number(row.structure), QString::number(row.line)},
                        {},
                        one.record});
    };
    add({close.best, 0, 0}, QStringLiteral("the best"));
    for (size_t i = 0; i < std::min<size_t>(close.close.size(), 500); ++i)
        add(close.close[i], percentText(close.close[i].behind));
    return rows;
}

QString aboutText(const TaskFindings &findings, const OpenLog &log) {
    QStringList sentences{findings.aboutBest};
    if (findings.greatestSpreadOf != UINT32_MAX)
        sentences << QStringLiteral("Repeats scatter by %1 in the middle, by %2 at most (line %3).")
                         .arg(percentText(findings.medianSpread), percentText(findings.greatestSpread),
                              lineOf(log, findings.greatestSpreadOf));
    if (findings.unstable > 0)
        sentences << QStringLiteral("%1 unstable.").arg(countedText(findings.unstable, "time is", "times are"));
    if (findings.thinned)
        sentences << QStringLiteral("Of many points the least and greatest of each stretch are drawn.");
    return sentences.join(u' ');
}

} // namespace

LogDetails::LogDetails(Theme &theme, QWidget *parent) : QTabWidget(parent), m_theme(theme) {
    setObjectName(QStringLiteral("log_details"));
    setDocumentMode(true);
    setUsesScrollButtons(true);
    auto *record = new QWidget(this);
    m_strip = new RepeatStrip(theme, record);
    m_page = new QTextBrowser(record);
    m_page->setObjectName(QStringLiteral("record_page"));
    m_page->setAccessibleName(tr("The record"));
    m_page->setOpenLinks(false);
    m_page->setFrameShape(QFrame::NoFrame);
    auto *column = new QVBoxLayout(record);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_note = new NoteLine(theme, record);
    connect(m_note, &NoteLine::failed, this, &LogDetails::notesFailed);
    connect(m_note, &NoteLine::written, this, &LogDetails::noted);
    column->addWidget(m_note);
    column->addWidget(m_strip);
    column->addWidget(m_page, 1);
    m_buttons = new QWidget(record);
    new FlowLayout(m_buttons, 4, 2);
    column->addWidget(m_buttons);
    addTab(record, tr("Record"));
    auto *course = new QWidget(this);
    m_about = new QLabel(course);
    m_about->setObjectName(QStringLiteral("about_task"));
    m_about->setWordWrap(true);
    m_about->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_about->setMargin(6);
    m_course = new CoursePlot(theme, course);
    auto *below = new QVBoxLayout(course);
    below->setContentsMargins(0, 0, 0, 0);
    below->setSpacing(0);
    below->addWidget(m_about);
    below->addWidget(m_course, 1);
    addTab(course, tr("Course"));
    setTabToolTip(1, tr("The task's records in their order, with the best so far"));
    m_times = new TimesPlot(theme, this);
    addTab(m_times, tr("Times"));
    setTabToolTip(2, tr("How often which time was measured"));
    m_failures = new FindingsModel({tr("Records"), tr("Kind"), tr("Reason"), tr("Lines")}, {0}, this);
    addFindings(addTable(m_failures, "failures", tr("Failures"), tr("Failed records by their reason")), m_failures);
    m_close = new FindingsModel({tr("Time"), tr("Behind"), tr("Noise"), tr("Repeats"), tr("Structure"), tr("Line")},
                                {0, 1, 3, 4, 5}, this);
    addFindings(addTable(m_close, "close", tr("Near the best"),
                         tr("Other schedules whose times lie behind the best by no more than they scatter")),
                m_close);
    const QStringList groups{tr("Records"), tr("Failed"), tr("Least"), tr("Greatest"), tr("Line")};
    m_again = new FindingsModel(groups, {0, 1, 2, 3, 4}, this);
    addFindings(addTable(m_again, "again", tr("Duplicates"), tr("Schedules that were measured more than once")),
                m_again);
    m_structures = new FindingsModel(groups, {0, 1, 2, 3, 4}, this);
    addFindings(addTable(m_structures, "structures", tr("Structures"),
                         tr("Records alike but for lengths of splits and values of pragmas, the fastest first")),
                m_structures);
    addChoices();
    m_unreadable = new UnreadableModel(this);
    addTable(m_unreadable, "unreadable", tr("Unreadable"), tr("Lines that nobody can read, and why"));
}

void LogDetails::addPage(QWidget *page, const QString &title, const QString &tip, const char *before) {
    const int at = indexOf(findChild<QTableView *>(QLatin1String(before)));
    setTabToolTip(insertTab(at, page, title), tip);
}

LogTable *LogDetails::addTable(QAbstractItemModel *model, const char *name, const QString &title, const QString &tip) {
    LogTable *table = newLogTable(model, QLatin1String(name), title, this);
    setTabToolTip(addTab(table, title), tip);
    return table;
}

void LogDetails::addChoices() {
    m_choices =
        new FindingsModel({tr("Choice"), tr("Weight"), tr("Best has"), tr("Values, the fastest first")}, {1}, this);
    auto *page = new QWidget(this);
    page->setObjectName(QStringLiteral("choices_page"));
    m_aboutChoices = new QLabel(page);
    m_aboutChoices->setObjectName(QStringLiteral("about_choices"));
    m_aboutChoices->setWordWrap(true);
    m_aboutChoices->setMargin(6);
    QTableView *table =
        newLogTable(m_choices, QStringLiteral("log_choices"), tr("Choices of the task's records"), page);
    addFindings(table, m_choices);
    auto *column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_aboutChoices);
    column->addWidget(table, 1);
    setTabToolTip(addTab(page, tr("Choices")), tr("In what the task's records differ, and how fast each value was"));
}

bool LogDetails::choicesInFront() const { return currentWidget()->objectName() == QLatin1String("choices_page"); }

void LogDetails::showChoices(const TaskChoices *choices, const QString &hint) {
    std::vector<FindingRow> rows;
    if (choices != nullptr)
        for (const auto &line : choices->lines) {
            QStringList values;
            for (const auto &value : line.values)
                values << tr("%1 (%2\u00d7, %3)").arg(value.text).arg(value.records).arg(timeText(value.least));
            rows.push_back({{line.name, line.share >= 0 ? percentText(line.share) : QStringLiteral("\u2013"),
                             line.ofBest, values.join(QStringLiteral(" \u00b7 "))},
                            values.join(u'\n'),
                            line.fastest});
        }
    QString about = hint;
    if (choices != nullptr && rows.empty()) about = tr("The records of this task all chose the same.");
    if (!rows.empty()) {
        about = tr("How often each value was chosen, and the least time it came to.");
        if (choices->lines.front().share >= 0)
            about += tr(" The choices explain %1 of the differences in time between records they were not weighed by.")
                         .arg(percentText(std::max(0.0, choices->explained)));
        if (choices->records < choices->of)
            about +=
                tr(" Of %1, %2 were looked at.").arg(countedText(choices->of, "valid record")).arg(choices->records);
    }
    m_choices->show(std::move(rows));
    m_aboutChoices->setText(about);
    findChild<QTableView *>(QStringLiteral("log_choices"))->resizeColumnsToContents();
}

void LogDetails::addFindings(QTableView *table, const FindingsModel *model) {
    const auto ask = [this, model](const QModelIndex &index) {
        if (const size_t record = model->recordAt(index); record != SIZE_MAX) Q_EMIT recordAsked(record);
    };
    connect(table, &QTableView::clicked, this, ask);
    connect(table, &QTableView::activated, this, ask);
}

void LogDetails::setRecordActions(const QList<QAction *> &actions) {
    for (QAction *action : actions) {
        auto *button = new QToolButton(m_buttons);
        button->setDefaultAction(action);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setObjectName(QStringLiteral("record_action"));
        m_buttons->layout()->addWidget(button);
    }
}

QTableView *LogDetails::frontTable() const {
    if (auto *table = qobject_cast<QTableView *>(currentWidget())) return table;
    return currentWidget()->findChild<QTableView *>();
}

void LogDetails::showRecord(const RecordFacts *facts, const QString &path, const QString &taskName, const QString &why,
                            const QString &hint) {
    m_note->setRecord(path, facts != nullptr && facts->problem.isEmpty() ? recordName(facts->record) : std::string(),
                      facts != nullptr ? facts->row.line : 0);
    m_strip->setTimes(facts != nullptr ? facts->record.trial.seconds : std::vector<double>{});
    m_page->setHtml(facts != nullptr ? recordHtml(*facts, path, taskName, why, m_theme)
                                     : QStringLiteral("<p style='color:%1'>%2</p>")
                                           .arg(m_theme.color(Role::QuietText).name(), hint.toHtmlEscaped()));
}

void LogDetails::showFindings(const TaskFindingsPtr &findings, const OpenLog *log) {
    const TaskFindingsPtr shown = log != nullptr ? findings : nullptr;
    m_course->setFindings(shown);
    m_times->setFindings(shown);
    m_about->setVisible(shown != nullptr);
    m_about->setText(shown ? aboutText(*shown, *log) : QString());
    m_failures->show(shown ? failureRows(*shown, *log) : std::vector<FindingRow>{});
    m_close->show(shown ? closeRows(shown->close, *log) : std::vector<FindingRow>{});
    m_again->show(shown ? groupRows(shown->sameSteps, *log) : std::vector<FindingRow>{});
    m_structures->show(shown ? groupRows(shown->structures, *log) : std::vector<FindingRow>{});
    const auto told = [&](const char *name, const QString &title, size_t count, const QString &none) {
        auto *table = static_cast<LogTable *>(findChild<QTableView *>(QLatin1String(name)));
        setTabText(indexOf(table), count > 0 ? QStringLiteral("%1 (%2)").arg(title).arg(count) : title);
        table->setEmptyText(shown ? none : tr("Choose a task: what was found in its records is shown here."));
        table->resizeColumnsToContents();
    };
    const auto rows = [](const FindingsModel *model) { return static_cast<size_t>(model->rowCount()); };
    told("failures", tr("Failures"), rows(m_failures), tr("No record of this task failed."));
    told("close", tr("Near the best"), shown ? shown->close.close.size() : 0,
         shown && shown->close.best == UINT32_MAX
             ? tr("No record of this task has a time.")
             : tr("No other schedule is so close to the best that noise could make up for it."));
    told("again", tr("Duplicates"), rows(m_again), tr("No schedule of this task was measured more than once."));
    told("structures", tr("Structures"), rows(m_structures), tr("The task has no records."));
    // A reason may be long: it is told in full when the mouse rests on it.
    constexpr int kReason = 2;
    const int widest = fontMetrics().averageCharWidth() * 80;
    auto *failures = findChild<QTableView *>(QStringLiteral("failures"));
    if (failures->columnWidth(kReason) > widest) failures->setColumnWidth(kReason, widest);
}

void LogDetails::showUnreadable(const OpenLog *log) {
    m_unreadable->show(log);
    const int lines = m_unreadable->rowCount();
    const int tab = indexOf(findChild<QTableView *>(QStringLiteral("unreadable")));
    setTabText(tab, lines > 0 ? tr("Unreadable (%1)").arg(lines) : tr("Unreadable"));
    setTabEnabled(tab, lines > 0);
    if (log != nullptr && log->log && log->records() == 0 && lines > 0) setCurrentIndex(tab); // all there is to tell
}

void LogDetails::mark(size_t record, double seconds) { m_course->mark(record, seconds); }

} // namespace loopscope
