#include "views/logs/logs_view.h"

#include "records/logs/log_filter.h"
#include "views/logs/log_bar.h"
#include "views/logs/log_details.h"
#include "views/logs/log_diff_view.h"
#include "views/logs/log_table.h"
#include "views/logs/log_task_model.h"
#include "views/logs/record_panel.h"
#include "views/logs/trial_link.h"
#include "views/session/open_logs.h"
#include "views/session/text.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QResizeEvent>
#include <QScopedValueRollback>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedLayout>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <utility>

namespace loopscope {

namespace {

constexpr int kMaxCopied = 20000; // rows; more would stop the window

/// Of a log with one task all records are of that task, and stand in the order of the log without looking at each.
RecordsWanted inLog(RecordsWanted wanted, const OpenLog &log) {
    if (log.tasks().size() == 1) wanted.task = -1;
    return wanted;
}

} // namespace

LogsView::LogsView(const ViewContext &context, QWidget *parent)
    : QWidget(parent), m_context(context), m_logs(context.session.logs()) {
    setObjectName(QStringLiteral("LogsView"));
    build();
    addActions();
    addComparison();
    connect(&m_logs, &OpenLogs::currentChanged, this, &LogsView::showLog);
    connect(&m_logs, &OpenLogs::listChanged, this, [this] {
        std::erase_if(m_places, [this](const auto &entry) { return m_logs.find(entry.first) == nullptr; });
        if (m_logs.find(m_log) == nullptr) showLog(); // before anything is read from it again
    });
    connect(&m_logs, &OpenLogs::logChanged, this, [this](int id) {
        if (id == m_log) showLog();
    });
    connect(&m_logs, &OpenLogs::logGrown, this, [this](int id) {
        if (id == m_log) logGrew();
    });
    connect(&context.theme, &Theme::changed, this, &LogsView::restyle);
    restyle();
    showLog();
}

void LogsView::build() {
    m_tasks = new LogTaskModel(m_context.theme, [this](const LogTask &task) { return m_panel->titleOf(task); }, this);
    m_taskOrder = new QSortFilterProxyModel(this);
    m_taskOrder->setSourceModel(m_tasks);
    m_taskOrder->setSortRole(LogTaskModel::SortRole);
    m_records = new RecordModel(m_context.theme, this);
    m_noted = new NotedLog(m_context.session.jobs(), m_context.session.messages(), this);
    m_export = new RecordExport(m_context.session.jobs(), m_context.session.messages(), this);
    m_bar = new LogBar(m_context, this);

    auto *left = new QWidget(this);
    m_allTasks = new QToolButton(left);
    m_allTasks->setObjectName(QStringLiteral("all_tasks"));
    m_allTasks->setText(tr("All tasks"));
    m_allTasks->setToolTip(tr("Show the records of all tasks of the log"));
    m_allTasks->setCheckable(true);
    m_allTasks->setAutoRaise(true);
    m_taskTable = newLogTable(m_taskOrder, QStringLiteral("log_tasks"), tr("Tasks of the log"), left);
    m_taskTable->setSelectionMode(QAbstractItemView::SingleSelection);
    m_taskTable->setSortingEnabled(true);
    // Names are long: what stands behind them is out of sight in a narrow dock.
    m_taskTable->horizontalHeader()->moveSection(LogTaskModel::Best, LogTaskModel::Name);
    m_taskTable->sortByColumn(-1, Qt::AscendingOrder); // in the order of the log
    auto *leftColumn = new QVBoxLayout(left);
    leftColumn->setContentsMargins(0, 0, 0, 0);
    leftColumn->setSpacing(0);
    leftColumn->addWidget(m_allTasks, 0, Qt::AlignLeft);
    leftColumn->addWidget(m_taskTable, 1);

    m_recordTable = newLogTable(m_records, QStringLiteral("log_records"), tr("Records of the log"), this);
    QHeaderView *header = m_recordTable->horizontalHeader();
    header->setSectionsClickable(true);
    header->setSortIndicatorShown(true);
    header->setSortIndicator(RecordModel::Line, Qt::AscendingOrder);
    m_filter = new QLineEdit(this);
    m_filter->setObjectName(QStringLiteral("log_filter"));
    m_filter->setPlaceholderText(tr("Filter: time < 2ms failed task:3 tag:keep conv2d \u2026"));
    m_filter->setAccessibleName(tr("Filter of the records"));
    m_filter->setClearButtonEnabled(true);
    QStringList words;
    for (const std::string &word : logFilterWords()) words << qt(word);
    m_filter->setToolTip(
        tr("Words next to each other must all hold, || joins alternatives, - turns round; known are %1; "
           "any other word is looked for in keys, targets and reasons")
            .arg(words.join(QStringLiteral(", "))));
    m_filterProblem = new QLabel(this);
    m_filterProblem->setObjectName(QStringLiteral("log_filter_problem"));
    m_filterProblem->setWordWrap(true);
    m_filterProblem->setMargin(4);
    m_filterProblem->hide();
    auto *middlePart = new QWidget(this);
    auto *middleColumn = new QVBoxLayout(middlePart);
    middleColumn->setContentsMargins(0, 0, 0, 0);
    middleColumn->setSpacing(0);
    middleColumn->addWidget(m_filter);
    middleColumn->addWidget(m_filterProblem);
    middleColumn->addWidget(m_recordTable, 1);
    m_details = new LogDetails(m_context.theme, this);
    m_trials = new TrialLink(m_context.session, this);
    connect(m_trials, &TrialLink::recordAsked, this, &LogsView::chooseRecordOf);
    m_inner = new QSplitter(Qt::Vertical, this);
    m_inner->addWidget(middlePart);
    m_inner->addWidget(m_details);
    m_outer = new QSplitter(Qt::Horizontal, this);
    m_panel = new RecordPanel(m_context, *m_details, m_outer); // its keys mean something else beside a comparison
    connect(m_panel, &RecordPanel::titlesChanged, m_tasks, &LogTaskModel::retitle);
    m_outer->addWidget(left);
    m_outer->addWidget(m_inner);
    m_outer->setStretchFactor(0, 3);
    m_outer->setStretchFactor(1, 5);
    for (QWidget *part : {static_cast<QWidget *>(left), middlePart, static_cast<QWidget *>(m_details)})
        part->setMinimumSize(fontMetrics().averageCharWidth() * 12, fontMetrics().height() * 3);
    const int letter = fontMetrics().averageCharWidth();
    m_outer->setSizes({letter * 60, letter * 100});

    auto *nothing = new QWidget(this);
    m_empty =
        new QLabel(tr("No tuning log is open. A log is shown here with its tasks, its records and its failures, "
                      "also where nobody knows what it was tuned for: open one (.json, .log, also compressed), or "
                      "drop it on the window."),
                   nothing);
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    auto *open = new QPushButton(tr("Open a log"), nothing);
    open->setObjectName(QStringLiteral("open_log"));
    connect(open, &QPushButton::clicked, this, [this] {
        if (QAction *action = m_context.actions.find(Capability::OpenFile)) action->trigger();
    });
    auto *middle = new QVBoxLayout(nothing);
    middle->addStretch(1);
    middle->addWidget(m_empty);
    middle->addWidget(open, 0, Qt::AlignHCenter);
    middle->addStretch(1);

    auto *pages = new QWidget(this);
    m_pages = new QStackedLayout(pages);
    m_pages->addWidget(nothing);
    m_pages->addWidget(m_outer);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_bar);
    column->addWidget(pages, 1);
    setFocusProxy(m_recordTable);

    const std::array taskWidths{5, 48, 11, 9, 8, 20};
    for (size_t c = 0; c < taskWidths.size(); ++c)
        m_taskTable->setColumnWidth(static_cast<int>(c), taskWidths[c] * letter);
    const std::array widths{9, 6, 12, 9, 9, 9, 18, 22, 8, 10, 9, 14, 30};
    for (size_t c = 0; c < widths.size(); ++c) m_recordTable->setColumnWidth(static_cast<int>(c), widths[c] * letter);

    connect(m_allTasks, &QToolButton::clicked, this, [this] { chooseTask(-1); });
    connect(m_taskTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex &now) {
                if (!m_following && now.isValid()) chooseTask(now.data(LogTaskModel::TaskRole).toInt());
            });
    connect(m_taskTable, &QTableView::clicked, this,
            [this](const QModelIndex &now) { chooseTask(now.data(LogTaskModel::TaskRole).toInt()); });
    connect(m_recordTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex &now) {
                if (m_following || !now.isValid() || log() == nullptr) return;
                place().record = m_records->recordAt(now.row());
                tell();
                m_trials->recordChosen(log()->path, place().record);
            });
    connect(header, &QHeaderView::sortIndicatorChanged, this, [this](int column, Qt::SortOrder order) {
        if (m_following || log() == nullptr) return;
        place().wanted.column = column;
        place().wanted.descending = order == Qt::DescendingOrder;
        arrange();
    });
    connect(m_details, &LogDetails::recordAsked, this, [this](size_t record) {
        chooseRecord(record);
        if (log() != nullptr) m_trials->recordChosen(log()->path, record);
    });
    connect(m_details, &LogDetails::noted, this, [this] { m_noted->look(log()); });
    connect(m_noted, &NotedLog::changed, this, [this] {
        m_records->setNotes(m_noted->notes());
        if (log() != nullptr && needsNotes(place().wanted)) arrange();
    });
    connect(m_filter, &QLineEdit::textChanged, this, &LogsView::filter);
    connect(m_filter, &QLineEdit::returnPressed, m_recordTable, qOverload<>(&QWidget::setFocus));
}

void LogsView::addActions() {
    const auto add = [this](const char *id, const QString &text, const QKeySequence &keys, const QString &tip,
                            const char *icon, std::function<void()> run) {
        QAction *action = m_context.actions.add({QLatin1String(id), tr("Logs"), text, keys, tip, QLatin1String(icon)},
                                                this, std::move(run));
        action->setIcon(m_context.theme.icon(QLatin1String(icon)));
        return action;
    };
    QAction *copied = add("logs.copy", tr("Copy rows of the log"), QKeySequence::Copy,
                          tr("Copy the selected rows as tab separated lines"), "copy", [this] { copy(); });
    QAction *close = add("logs.close", tr("Close the log"), {}, tr("Close the log shown; its file stays"), "close",
                         [this] { m_bar->comparisonInFront() ? m_comparison->close() : m_logs.close(m_log); });
    m_recordTable->setContextMenuPolicy(Qt::ActionsContextMenu);
    const QList<QAction *> ofRecord = m_panel->actions();
    m_recordTable->addActions(ofRecord);
    m_recordTable->addActions({copied, close});
    connect(m_recordTable, &QTableView::activated, ofRecord.first(), &QAction::trigger);
}

/// Where one was when it was shown last, or, of one that a session file names, when that was written.
LogsView::Place &LogsView::place() {
    const auto [entry, fresh] = m_places.try_emplace(m_log);
    if (const OpenLog *shown = log(); fresh && shown != nullptr) {
        entry->second.wanted.task = shown->place.task;
        entry->second.wanted.filter = shown->place.filter;
        entry->second.record = shown->place.record;
    }
    return entry->second;
}

void LogsView::addComparison() {
    m_comparison = new LogDiffView(m_context, m_panel->resolutions(), this, this);
    m_pages->addWidget(m_comparison);
    m_bar->addButton(m_comparison->compareAction());
    connect(m_comparison, &LogDiffView::titleChanged, this, [this] { m_bar->setComparison(m_comparison->title()); });
    connect(m_comparison, &LogDiffView::opened, this, [this] {
        m_bar->showComparison(true);
        m_comparison->setFocus(Qt::OtherFocusReason);
    });
    connect(m_bar, &LogBar::frontChanged, this, &LogsView::turn);
    connect(m_bar, &LogBar::comparisonCloseAsked, m_comparison, &LogDiffView::close);
}

/// To the page that is in front.
void LogsView::turn() {
    const bool compared = m_bar->comparisonInFront();
    m_pages->setCurrentIndex(compared ? 2 : log() != nullptr ? 1 : 0);
    setFocusProxy(compared ? m_comparison->table() : m_recordTable);
    refreshActions();
}

const OpenLog *LogsView::log() const { return m_logs.find(m_log); }

void LogsView::showLog() {
    const OpenLog *shown = m_logs.current();
    m_context.session.jobs().cancel(std::exchange(m_ordering, 0));
    const bool other = std::exchange(m_log, shown != nullptr ? shown->id : 0) != (shown != nullptr ? shown->id : 0);
    turn();
    if (shown != nullptr && shown->log && place().wanted.task >= static_cast<int>(shown->tasks().size()))
        place().wanted.task = -1;
    if (shown != nullptr && shown->log && shown->records() > 0) {
        if (shown->tasks().size() == 1) place().wanted.task = 0;
        // Something is told from the beginning: the best of the first task.
        const size_t best = shown->tasks()[static_cast<size_t>(std::max(0, place().wanted.task))].best;
        if (place().record >= shown->records()) place().record = best < shown->records() ? best : 0;
    }
    {
        const QScopedValueRollback following(m_following, true);
        m_tasks->show(shown);
        m_filter->setText(shown != nullptr ? place().wanted.filter : QString());
        m_filterProblem->hide();
        if (shown != nullptr)
            m_recordTable->horizontalHeader()->setSortIndicator(
                place().wanted.column, place().wanted.descending ? Qt::DescendingOrder : Qt::AscendingOrder);
    }
    m_details->showUnreadable(shown);
    if (other) m_records->show(nullptr, {});
    m_noted->look(shown);
    arrange();
    chooseTask(shown != nullptr ? place().wanted.task : -1);
    if (shown != nullptr && shown->log) m_panel->lookAgain();
}

void LogsView::logGrew() {
    const OpenLog &grown = *log();
    m_tasks->show(&grown);
    m_details->showUnreadable(&grown);
    m_noted->look(&grown);
    if (m_records->inOrderOfLog() && inLog(place().wanted, grown).all())
        m_records->grow();
    else
        arrange();
    m_panel->lookAgain();
}

/// Anew: the order that is wanted, of the records there are now.
void LogsView::arrange() {
    const OpenLog *shown = log();
    Jobs &jobs = m_context.session.jobs();
    jobs.cancel(std::exchange(m_ordering, 0));
    if (shown == nullptr || !shown->log) return take({}); // a glance has one order
    const RecordsWanted wanted = inLog(place().wanted, *shown);
    if (wanted.all()) return take({});
    m_ordering = jobs.start(
        tr("ordering records"), this,
        [followed = shown->log, wanted, notes = m_noted->notes()](JobControl &) {
            const std::shared_lock reading(followed->reading);
            return orderRecords(followed->document, wanted, *notes);
        },
        [this](RecordOrder order) {
            m_ordering = 0;
            take(std::move(order));
        });
}

void LogsView::take(RecordOrder order) {
    const QScopedValueRollback following(m_following, true);
    const OpenLog *shown = log();
    m_records->show(shown, std::move(order));
    const bool whole = shown != nullptr && shown->log != nullptr;
    m_taskTable->setEmptyText(whole ? tr("The log has no tasks.") : QString());
    m_recordTable->setEmptyText(!whole                  ? QString()
                                : shown->records() == 0 ? tr("The log has no records.")
                                                        : tr("No record passes the filter."));
    if (shown == nullptr) return tell();
    const bool known = place().record != SIZE_MAX && place().record < shown->records();
    const int row = known ? m_records->rowOf(place().record) : -1;
    if (row >= 0) {
        m_recordTable->setCurrentIndex(m_records->index(row, 0));
        m_recordTable->scrollTo(m_records->index(row, 0), QAbstractItemView::PositionAtCenter);
    }
    tell();
}

void LogsView::chooseTask(int task) {
    const OpenLog *shown = log();
    if (shown != nullptr) {
        const QScopedValueRollback following(m_following, true);
        const QModelIndex index = task < 0 ? QModelIndex() : m_taskOrder->mapFromSource(m_tasks->index(task, 0));
        if (!index.isValid())
            m_taskTable->selectionModel()->clear();
        else if (m_taskTable->currentIndex().row() != index.row())
            m_taskTable->setCurrentIndex(index);
        m_allTasks->setChecked(task < 0);
        if (std::exchange(place().wanted.task, task) != task) {
            const size_t best = task < 0 ? SIZE_MAX : shown->tasks()[static_cast<size_t>(task)].best;
            if (best < shown->records()) place().record = best; // which one wants to see first
            arrange();
        }
    }
    tell();
}

void LogsView::chooseRecord(size_t record) {
    const OpenLog *shown = log();
    if (shown == nullptr || record >= shown->records()) return;
    place().record = record;
    const int row = m_records->rowOf(record);
    if (row < 0) { // of another task, or hidden by the filter
        m_filter->clear();
        if (place().wanted.task >= 0) chooseTask(static_cast<int>(shown->row(record).task));
        place().record = record;
        return arrange();
    }
    const QScopedValueRollback following(m_following, true);
    m_recordTable->selectionModel()->setCurrentIndex(m_records->index(row, 0),
                                                     QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    m_recordTable->scrollTo(m_records->index(row, 0));
    tell();
}

void LogsView::chooseRecordOf(int log, size_t record) {
    if (log == m_log && place().record == record) return;
    if (log == m_log) return chooseRecord(record);
    if (m_logs.find(log) == nullptr) return;
    m_logs.setCurrent(log);
    place().record = record; // also of one that is not indexed yet
    chooseRecord(record);
}

void LogsView::tell() {
    refreshActions();
    const OpenLog *shown = log();
    if (shown == nullptr) return m_panel->show(nullptr, SIZE_MAX, -1);
    const Place &now = place();
    m_logs.setPlace(m_log, {now.wanted.task, now.record, now.wanted.filter});
    const bool known = now.wanted.task < static_cast<int>(shown->tasks().size()); // not while it is indexed
    m_panel->show(shown, now.record, known ? now.wanted.task : -1);
}

void LogsView::copy() {
    QTableView *table = m_bar->comparisonInFront() ? m_comparison->table()
                        : m_taskTable->hasFocus()  ? static_cast<QTableView *>(m_taskTable)
                        : m_details->frontTable() && m_details->frontTable()->hasFocus() ? m_details->frontTable()
                                                                                         : m_recordTable;
    int rows = 0;
    for (const QItemSelectionRange &range : table->selectionModel()->selection()) rows += range.height();
    if (rows > kMaxCopied)
        return m_context.session.messages().warn(
            tr("%1 are too many for the clipboard, which takes %2 at once; export them to a file instead")
                .arg(countedText(static_cast<size_t>(rows), "row"))
                .arg(kMaxCopied));
    QApplication::clipboard()->setText(selectedRowsText(*table));
}

void LogsView::filter(const QString &text) {
    if (m_following || log() == nullptr) return;
    const QString problem = filterProblem(text);
    m_filterProblem->setText(problem);
    m_filterProblem->setVisible(!problem.isEmpty());
    if (!problem.isEmpty()) return; // what is typed further may be one
    place().wanted.filter = text.trimmed();
    arrange();
}

void LogsView::startFind() {
    if (m_bar->comparisonInFront()) return m_comparison->startFind();
    m_filter->setFocus(Qt::ShortcutFocusReason);
    m_filter->selectAll();
}

QStringList LogsView::exportSuffixes() const {
    if (m_bar->comparisonInFront()) return m_comparison->exportSuffixes();
    return {QStringLiteral("csv"), QStringLiteral("tsv")};
}

QString LogsView::exportTo(const QString &path) {
    return m_bar->comparisonInFront() ? m_comparison->exportTo(path) : writeRecords(m_records->toWrite(), path);
}

void LogsView::exportLater(const QString &path, std::function<void(const QString &problem)> done) {
    m_export->start(m_records->toWrite(), path, std::move(done));
}

void LogsView::refreshActions() {
    for (const char *id : {"logs.copy", "logs.close"})
        m_context.actions.find(QLatin1String(id))->setEnabled(log() != nullptr || m_bar->comparisonInFront());
}

void LogsView::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    // In a narrow dock names of tasks need all of its width.
    const bool narrow = event->size().width() < fontMetrics().averageCharWidth() * 90 &&
                        event->size().height() > fontMetrics().height() * 28;
    if (const auto wanted = narrow ? Qt::Vertical : Qt::Horizontal; m_outer->orientation() != wanted) {
        m_outer->setOrientation(wanted);
        m_outer->setSizes(narrow ? QList<int>{350, 1000} : QList<int>{600, 1000});
    }
    // In a low dock the parts stand beside one another.
    const bool low = event->size().width() > event->size().height() * 2;
    if (const auto wanted = low ? Qt::Horizontal : Qt::Vertical; m_inner->orientation() != wanted) {
        m_inner->setOrientation(wanted);
        m_inner->setSizes({1000, 1000});
    }
}

void LogsView::restyle() {
    m_empty->setStyleSheet(QStringLiteral("color: %1").arg(m_context.theme.color(Role::QuietText).name()));
    for (const char *id : {"logs.copy", "logs.close"}) {
        QAction *action = m_context.actions.find(QLatin1String(id));
        action->setIcon(m_context.theme.icon(m_context.actions.info(action).icon));
    }
}

} // namespace loopscope
