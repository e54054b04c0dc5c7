#include "views/logs/log_diff_view.h"

#include "records/logs/diff_report.h"
#include "views/actions/page_stack.h"
#include "views/logs/diff_details.h"
#include "views/logs/diff_head.h"
#include "views/logs/diff_question.h"
#include "views/logs/diff_task_model.h"
#include "views/logs/log_comparison.h"
#include "views/logs/log_table.h"
#include "views/logs/many_records.h"
#include "views/logs/task_resolutions.h"
#include "views/logs/workbench_pair.h"
#include "views/plot/plot.h"
#include "views/session/text.h"

#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QResizeEvent>
#include <QScopedValueRollback>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include <array>
#include <cmath>
#include <utility>

namespace loopscope {

namespace {

constexpr int kLookMs = 100; // how often the window looks how far a comparison is
constexpr std::array kDiffActions{"logs.diff_bests", "logs.diff_swap", "logs.diff_export"};

} // namespace

LogDiffView::LogDiffView(const ViewContext &context, TaskResolutions &resolutions, QWidget *owner, QWidget *parent)
    : QWidget(parent), m_context(context), m_logs(context.session.logs()), m_resolutions(resolutions),
      m_comparison(new LogComparison(context.session, resolutions, this)), m_pair(new WorkbenchPair(context, this)) {
    setObjectName(QStringLiteral("LogDiffView"));
    build();
    addActions(owner);
    connect(m_comparison, &LogComparison::changed, this, &LogDiffView::refresh);
    connect(m_comparison, &LogComparison::outdatedChanged, this, &LogDiffView::refreshActions);
    connect(&m_logs, &OpenLogs::currentChanged, this, &LogDiffView::refreshActions);
    connect(&resolutions, &TaskResolutions::resolved, this, &LogDiffView::refreshActions);
    connect(m_pair, &WorkbenchPair::busyChanged, this, &LogDiffView::refreshActions);
    connect(m_pair, &WorkbenchPair::failed, this, [this](const QString &why) {
        m_context.session.messages().fail(tr("The two bests are not shown side by side: %1").arg(why));
    });
    connect(&context.theme, &Theme::changed, this, [this] {
        for (const char *id : kDiffActions) {
            QAction *action = m_context.actions.find(QLatin1String(id));
            action->setIcon(m_context.theme.icon(m_context.actions.info(action).icon));
        }
        compareAction()->setIcon(m_context.theme.icon(m_context.actions.info(compareAction()).icon));
        tell(); // the texts have colours of their own
    });
    m_look.setInterval(kLookMs);
    connect(&m_look, &QTimer::timeout, this, &LogDiffView::refreshWaiting);
    refresh();
}

void LogDiffView::build() {
    m_head = new DiffHead(m_context, *m_comparison, this);
    m_tasks = new DiffTaskModel(m_context.theme, this);
    m_order = new DiffTaskOrder(this);
    m_order->setSourceModel(m_tasks);
    auto *left = new QWidget(this);
    m_filter = new QLineEdit(left);
    m_filter->setObjectName(QStringLiteral("diff_filter"));
    m_filter->setPlaceholderText(tr("Filter: words of a task, its key, its verdict"));
    m_filter->setAccessibleName(tr("Filter of the tasks"));
    m_filter->setClearButtonEnabled(true);
    m_table = newLogTable(m_order, QStringLiteral("diff_tasks"), tr("Tasks of the logs compared"), left);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(-1, Qt::AscendingOrder); // in the order of the logs
    const int letter = fontMetrics().averageCharWidth();
    const std::array widths{38, 12, 12, 9, 16, 12, 12, 9, 40};
    for (size_t c = 0; c < widths.size(); ++c) m_table->setColumnWidth(static_cast<int>(c), widths[c] * letter);
    auto *leftColumn = new QVBoxLayout(left);
    leftColumn->setContentsMargins(0, 0, 0, 0);
    leftColumn->setSpacing(0);
    leftColumn->addWidget(m_filter);
    leftColumn->addWidget(m_table, 1);
    m_details = new DiffDetails(m_context.theme, this);
    m_parts = new QSplitter(Qt::Vertical, this);
    m_parts->addWidget(left);
    m_parts->addWidget(m_details);
    left->setMinimumSize(letter * 12, fontMetrics().height() * 6);
    m_details->setMinimumSize(letter * 12, fontMetrics().height() * 11); // less is no plot
    auto *result = new QWidget(this);
    auto *resultColumn = new QVBoxLayout(result);
    resultColumn->setContentsMargins(0, 0, 0, 0);
    resultColumn->setSpacing(0);
    resultColumn->addWidget(m_head);
    resultColumn->addWidget(m_parts, 1);
    m_pages = new PageStack(this);
    m_pages->addWidget(newWaitingPage());
    m_pages->addWidget(result);
    auto *whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(m_pages);
    setFocusProxy(m_table);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex &now) {
        if (m_following || !now.isValid()) return;
        if (const TaskDiff *chosen = task()) m_key = chosen->task.key;
        tell();
    });
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString &text) {
        m_order->setFilterFixedString(text.trimmed());
        tell();
    });
    connect(m_filter, &QLineEdit::returnPressed, m_table, qOverload<>(&QWidget::setFocus));
    connect(m_head, &DiffHead::otherChosen, this, &LogDiffView::showTasks);
    connect(m_head, &DiffHead::againAsked, this, [this] {
        if (const QString why = m_comparison->again(); !why.isEmpty()) m_context.session.messages().warn(why);
    });
}

/// While it is compared, and when nothing came of it.
QWidget *LogDiffView::newWaitingPage() {
    auto *page = new QWidget(this);
    m_doing = new QLabel(page);
    m_doing->setObjectName(QStringLiteral("diff_doing"));
    m_doing->setAlignment(Qt::AlignCenter);
    m_doing->setWordWrap(true);
    m_progress = new QProgressBar(page);
    m_progress->setObjectName(QStringLiteral("diff_progress"));
    m_progress->setMaximumWidth(fontMetrics().averageCharWidth() * 40);
    m_stop = new QPushButton(tr("Cancel"), page);
    m_stop->setObjectName(QStringLiteral("diff_cancel"));
    m_retry = new QPushButton(tr("Compare anew"), page);
    m_retry->setObjectName(QStringLiteral("diff_retry"));
    auto *column = new QVBoxLayout(page);
    column->addStretch(1);
    column->addWidget(m_doing);
    auto *bar = new QHBoxLayout; // in the middle, and no wider than it may be
    bar->addStretch(1);
    bar->addWidget(m_progress, 4);
    bar->addStretch(1);
    column->addLayout(bar);
    column->addWidget(m_stop, 0, Qt::AlignHCenter);
    column->addWidget(m_retry, 0, Qt::AlignHCenter);
    column->addStretch(1);
    connect(m_stop, &QPushButton::clicked, m_comparison, &LogComparison::cancel);
    connect(m_retry, &QPushButton::clicked, m_head, &DiffHead::againAsked);
    return page;
}

void LogDiffView::addActions(QWidget *owner) {
    const auto add = [this](const char *id, const QString &text, const QKeySequence &keys, const QString &tip,
                            const char *icon, QWidget *within, std::function<void()> run) {
        QAction *action = m_context.actions.add({QLatin1String(id), tr("Logs"), text, keys, tip, QLatin1String(icon)},
                                                within, std::move(run));
        action->setIcon(m_context.theme.icon(QLatin1String(icon)));
        return action;
    };
    add("logs.compare", tr("Compare logs \u2026"), QKeySequence(QStringLiteral("Ctrl+Shift+G")),
        tr("The best of every task of the log shown against that of another open log"), "compare", owner,
        [this] { ask(); });
    QAction *bests = add(kDiffActions[0], tr("Compare the two bests"), QKeySequence(QStringLiteral("Ctrl+Return")),
                         tr("Open the workload with the trials of both logs, and both bests side by side"), "compare",
                         this, [this] { showBests(); });
    QAction *swap =
        add(kDiffActions[1], tr("Swap the logs"), {}, tr("The other log as the base"), "swap", this, [this] {
            std::vector<const OpenLog *> logs;
            for (size_t log = 0; log < m_comparison->logs().size(); ++log)
                logs.push_back(m_comparison->asCompared(log));
            std::swap(logs[0], logs[m_head->other()]);
            if (const QString why = m_comparison->compare(logs); !why.isEmpty()) m_context.session.messages().warn(why);
        });
    QAction *exported =
        add(kDiffActions[2], tr("Export the report \u2026"), {},
            tr("The comparison as one HTML file with pictures, or as a table"), "export", this, [this] {
                auto *dialog = new QFileDialog(this, tr("Export the report"));
                dialog->setAttribute(Qt::WA_DeleteOnClose);
                dialog->setAcceptMode(QFileDialog::AcceptSave);
                dialog->setNameFilters({tr("Report (*.html)"), tr("Comma-separated (*.csv)")});
                dialog->setDefaultSuffix(QStringLiteral("html"));
                dialog->selectFile(QStringLiteral("diff.html"));
                connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString &filter) {
                    dialog->setDefaultSuffix(filter.contains(QLatin1String("csv")) ? QStringLiteral("csv")
                                                                                   : QStringLiteral("html"));
                });
                connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &path) {
                    if (const QString problem = exportTo(path); !problem.isEmpty())
                        return m_context.session.messages().fail(problem);
                    m_context.session.messages().note(tr("Exported to %1").arg(path));
                });
                dialog->open();
            });
    m_head->addButton(compareAction());
    m_head->addButton(swap);
    m_head->addButton(exported);
    m_details->setAction(bests);
    connect(m_table, &QTableView::activated, bests, &QAction::trigger);
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    m_table->addActions({bests, swap, exported});
}

QAction *LogDiffView::compareAction() const { return m_context.actions.find(QStringLiteral("logs.compare")); }

QString LogDiffView::title() const {
    const auto &logs = m_comparison->logs();
    if (logs.empty()) return {};
    return logs.size() == 2 ? tr("%1 \u2194 %2").arg(logs[0].name, logs[1].name)
                            : tr("%1 \u2194 %2 others").arg(logs[0].name).arg(logs.size() - 1);
}

void LogDiffView::ask() {
    const OpenLog *current = m_logs.current();
    const auto &all = m_logs.all();
    if (all.size() == 2 && current != nullptr)
        return compare({current->id, all[0]->id == current->id ? all[1]->id : all[0]->id});
    auto *question = new DiffQuestion(m_logs, current != nullptr ? current->id : 0, this);
    question->setAttribute(Qt::WA_DeleteOnClose);
    connect(question, &QDialog::accepted, this, [this, question] { compare(question->chosen()); });
    question->open();
}

void LogDiffView::compare(const std::vector<int> &logs) {
    std::vector<const OpenLog *> open;
    for (const int id : logs)
        if (const OpenLog *log = m_logs.find(id)) open.push_back(log);
    if (const QString why = m_comparison->compare(open); !why.isEmpty()) return m_context.session.messages().warn(why);
    for (QWidget *around = parentWidget(); around != nullptr; around = around->parentWidget())
        if (auto *dock = qobject_cast<QDockWidget *>(around)) { // asked for from a menu, it must be seen
            dock->show();
            dock->raise();
        }
    Q_EMIT opened();
}

void LogDiffView::close() { m_comparison->close(); }

void LogDiffView::refresh() {
    const LogComparison::State state = m_comparison->state();
    const bool ready = state == LogComparison::State::Ready;
    if (state == LogComparison::State::Looking || state == LogComparison::State::Comparing)
        m_look.start();
    else
        m_look.stop();
    m_pages->setCurrentIndex(ready ? 1 : 0);
    refreshWaiting();
    showTasks();
    Q_EMIT titleChanged();
}

void LogDiffView::refreshWaiting() {
    const LogComparison::State state = m_comparison->state();
    const bool under = state == LogComparison::State::Looking || state == LogComparison::State::Comparing;
    const double progress = m_comparison->progress();
    m_doing->setText(state == LogComparison::State::Failed      ? m_comparison->problem()
                     : state == LogComparison::State::Cancelled ? tr("Comparing was cancelled.")
                                                                : m_comparison->doing());
    m_progress->setVisible(under);
    m_progress->setRange(0, progress >= 0 ? 100 : 0);
    if (progress >= 0) m_progress->setValue(static_cast<int>(std::lround(progress * 100)));
    m_stop->setVisible(under);
    m_retry->setVisible(state == LogComparison::State::Failed || state == LogComparison::State::Cancelled);
}

void LogDiffView::showTasks() {
    const LogDiff *diff = m_comparison->diff();
    {
        const QScopedValueRollback following(m_following, true);
        m_tasks->show(diff, m_head->other());
        m_table->setColumnHidden(DiffTaskModel::Weight, diff == nullptr || !diff->weighted);
        m_table->setCurrentIndex(m_order->index(firstRow(), 0));
    }
    tell();
}

/// The task that was chosen last, or else the first that can be compared.
int LogDiffView::firstRow() const {
    const LogDiff *diff = m_comparison->diff();
    int row = 0;
    bool found = false;
    for (int i = 0; diff != nullptr && i < m_order->rowCount(); ++i) {
        const TaskDiff &task = diff->tasks[m_order->index(i, 0).data(DiffTaskModel::TaskRole).toUInt()];
        if (task.task.key == m_key) return i;
        if (!found && task.pairs[m_head->other() - 1].ratio) {
            found = true;
            row = i;
        }
    }
    return row;
}

const TaskDiff *LogDiffView::task() const {
    const LogDiff *diff = m_comparison->diff();
    const QModelIndex index = m_table->currentIndex();
    const auto number = index.isValid() ? index.data(DiffTaskModel::TaskRole).toInt() : -1;
    return diff == nullptr || number < 0 ? nullptr : &diff->tasks[static_cast<size_t>(number)];
}

void LogDiffView::tell() {
    QStringList names;
    for (size_t log = 0; log < m_comparison->logs().size(); ++log)
        names << qt(logLetter(log)) + u' ' + m_comparison->logs()[log].name;
    m_details->show(task(), m_head->other(), names);
    refreshActions();
}

void LogDiffView::refreshActions() {
    QAction *compare = compareAction();
    const QString whyNone = whyNoComparison(m_logs);
    const QString tip = whyNone.isEmpty() ? m_context.actions.info(compare).tip : whyNone;
    compare->setEnabled(whyNone.isEmpty());
    compare->setToolTip(tipWithShortcut(tip, compare->shortcut()));
    const bool ready = m_comparison->state() == LogComparison::State::Ready;
    QString whyNot;
    QAction *both = m_context.actions.find(QLatin1String(kDiffActions[0]));
    both->setEnabled(ready && bests(whyNot).has_value());
    both->setToolTip(tipWithShortcut(whyNot.isEmpty() ? m_context.actions.info(both).tip : whyNot, both->shortcut()));
    m_details->sayWhyNot(whyNot);
    bool whole = ready;
    for (size_t log = 0; log < m_comparison->logs().size(); ++log)
        whole = whole && m_comparison->asCompared(log) != nullptr;
    m_context.actions.find(QLatin1String(kDiffActions[1]))->setEnabled(whole);
    m_context.actions.find(QLatin1String(kDiffActions[2]))->setEnabled(ready);
}

std::optional<std::pair<WorkbenchRecord::Wanted, WorkbenchRecord::Wanted>> LogDiffView::bests(QString &why) const {
    const TaskDiff *chosen = task();
    if (chosen == nullptr) {
        why = tr("Choose a task");
        return std::nullopt;
    }
    const size_t other = m_head->other();
    const auto refuse = [&](const QString &sentence) {
        why = sentence;
        return std::nullopt;
    };
    if (!chosen->pairs[other - 1].ratio) return refuse(tr("Only one of the logs has a valid record of the task."));
    for (const size_t log : {size_t{0}, other}) {
        const OpenLog *open = m_comparison->asCompared(log);
        if (open == nullptr)
            return refuse(tr("%1 is no longer what was compared; compare anew.").arg(m_comparison->logs()[log].name));
        if (const QString large = tooLargeForTrials(*open); !large.isEmpty()) return refuse(large);
    }
    LogTask named;
    named.key = chosen->task.key;
    const ResolvedTask *known = m_resolutions.of(named);
    if (known == nullptr || !known->workload)
        return refuse(tr("What the task computes is not known: %1")
                          .arg(known != nullptr ? known->why : tr("nobody has looked for it")));
    if (m_pair->busy()) return refuse(tr("Opening both \u2026"));
    const auto wanted = [&](size_t log) {
        return WorkbenchRecord::Wanted{m_comparison->logs()[log].path, static_cast<int>(chosen->sides[log]->best),
                                       qt(chosen->task.target), known->workload};
    };
    return std::pair(wanted(0), wanted(other));
}

void LogDiffView::showBests() {
    QString why;
    const auto both = bests(why);
    if (!both) return;
    askAboutMany({m_comparison->asCompared(0), m_comparison->asCompared(m_head->other())}, *this,
                 [this, both = *both] { m_pair->show(both.first, both.second); });
}

void LogDiffView::startFind() {
    m_filter->setFocus(Qt::ShortcutFocusReason);
    m_filter->selectAll();
}

QStringList LogDiffView::exportSuffixes() const { return {QStringLiteral("html"), QStringLiteral("csv")}; }

QString LogDiffView::exportTo(const QString &path) {
    const LogDiff *diff = m_comparison->diff();
    if (diff == nullptr) return tr("%1: not written, since no logs have been compared").arg(path);
    const bool table = path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive);
    return writeTable(path, qt(table ? diffCsv(*diff) : diffHtml(*diff)));
}

void LogDiffView::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    constexpr int lines = 28;
    m_head->setLow(height() < fontMetrics().height() * lines);
    // In a low dock the parts stand beside one another.
    const bool low = event->size().width() > event->size().height() * 2;
    if (const auto wanted = low ? Qt::Horizontal : Qt::Vertical; m_parts->orientation() != wanted) {
        m_parts->setOrientation(wanted);
        m_parts->setSizes({1000, 1000});
    }
}

} // namespace loopscope
