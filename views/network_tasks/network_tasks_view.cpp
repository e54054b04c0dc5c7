#include "views/network_tasks/network_tasks_view.h"

#include "views/actions/flow_bar.h"
#include "views/network_tasks/task_table.h"
#include "views/session/open_logs.h"
#include "views/session/table_field.h"
#include "views/session/text.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLineEdit>
#include <QSaveFile>
#include <QScopedValueRollback>
#include <QSplitter>
#include <QVBoxLayout>

#include <array>

namespace loopscope {

namespace {
const QString kAllKey = QStringLiteral("network_tasks/all");
const QString kCourseKey = QStringLiteral("network_tasks/course");
} // namespace

NetworkTasksView::NetworkTasksView(const ViewContext &context, QWidget *parent)
    : QWidget(parent), m_context(context), m_networks(context.session.networks()),
      m_model(new NetworkTaskModel(context.theme, this)), m_order(new TaskRows(*m_model, this)) {
    setObjectName(QStringLiteral("NetworkTasksView"));
    build();
    addActions();
    connect(&m_networks, &OpenNetworks::currentChanged, this, &NetworkTasksView::networkChanged);
    connect(&m_networks, &OpenNetworks::networkChanged, this, [this](int id) {
        if (const OpenNetwork *shown = m_networks.current(); shown != nullptr && shown->id == id) networkChanged();
    });
    connect(&m_networks, &OpenNetworks::selectionChanged, this, [this](int id) {
        if (id == m_network) followSelection();
    });
    // Logs and workloads: looked at once things have settled.
    m_look.setSingleShot(true);
    m_look.setInterval(200);
    connect(&m_look, &QTimer::timeout, this, &NetworkTasksView::lookForTimes);
    const auto soon = [this] {
        if (!m_look.isActive()) m_look.start();
    };
    const OpenLogs &logs = m_context.session.logs();
    connect(&logs, &OpenLogs::listChanged, this, soon);
    connect(&logs, &OpenLogs::logChanged, this, soon);
    connect(&logs, &OpenLogs::logGrown, this, soon);
    const TaskTrials &trials = m_context.session.trials();
    connect(&trials, &TaskTrials::trialsAdded, this, soon);
    connect(&trials, &TaskTrials::trialsReset, this, soon);
    connect(&m_context.session.documents(), &Documents::documentsChanged, this, soon);
    // A search tells more often than anybody reads.
    m_follow.setSingleShot(true);
    m_follow.setInterval(100);
    connect(&m_follow, &QTimer::timeout, this, &NetworkTasksView::showProgress);
    connect(&m_context.session.tuning(), &NetworkTuning::changed, this, [this](int id) {
        if (id == m_network && !m_follow.isActive()) m_follow.start();
    });
    connect(&m_context.theme, &Theme::changed, this, [this] { m_table->viewport()->update(); });
    networkChanged();
}

void NetworkTasksView::build() {
    m_tools = new FlowBar(this);
    m_fusion = new QComboBox(this);
    m_fusion->setObjectName(QStringLiteral("network_fusion"));
    m_fusion->addItems({tr("Fused as TVM does"), tr("Fused better"), tr("Fused better where that is faster")});
    m_fusion->setToolTip(
        tr("Which kernels the network becomes: those that logs of TVM's users know, or fewer; the last "
           "times what is joined, and takes apart what is slower so"));
    m_fusion->setAccessibleName(tr("Fusion"));
    connect(m_fusion, &QComboBox::activated, this, [this](int item) {
        m_networks.setFusion(m_network, item > 0 ? FusionMode::Better : FusionMode::Compatible, item == 2);
    });
    m_filter = new QLineEdit(this);
    m_filter->setObjectName(QStringLiteral("network_task_filter"));
    m_filter->setPlaceholderText(tr("Filter by name or key"));
    m_filter->setAccessibleName(tr("Filter of the tasks"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setFixedWidth(fontMetrics().averageCharWidth() * 26);
    m_table = newTaskTable(*m_order, this);
    m_bar = new TuningBar(m_context, this);
    m_plot = new NetworkTimePlot(m_context.theme, this);
    m_plot->hide();
    auto *beside = new QSplitter(Qt::Horizontal, this);
    beside->setObjectName(QStringLiteral("network_tasks_splitter"));
    beside->setChildrenCollapsible(false);
    beside->addWidget(m_table);
    beside->addWidget(m_plot);
    beside->setStretchFactor(0, 3);
    beside->setStretchFactor(1, 1);
    auto *row = new QHBoxLayout;
    row->setContentsMargins(4, 0, 8, 0);
    row->addWidget(m_tools);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_bar);
    column->addLayout(row);
    column->addWidget(beside, 1);
    setFocusProxy(m_table);
    const int letter = fontMetrics().averageCharWidth();
    const std::array widths{7, 24, 42, 8, 12, 11, 10, 9, 12, 20, 13, 11, 11, 12, 11, 60};
    for (size_t c = 0; c < widths.size(); ++c) m_table->setColumnWidth(static_cast<int>(c), widths[c] * letter);
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString &text) {
        static_cast<TaskRows *>(m_order)->setWords(text);
        refresh();
    });
    connect(m_filter, &QLineEdit::returnPressed, m_table, qOverload<>(&QWidget::setFocus));
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            [this] { chosen(m_table->selectionModel()->currentIndex()); });
    connect(m_table, &QTableView::activated, this, &NetworkTasksView::openTask);
}

void NetworkTasksView::addActions() {
    const auto add = [this](const char *id, const QString &text, const QKeySequence &keys, const char *icon,
                            const QString &tip, std::function<void()> run, bool checkable = false) {
        QAction *action = m_context.actions.add(
            {QLatin1String(id), tr("Network tasks"), text, keys, tip, QLatin1String(icon), checkable}, this,
            std::move(run));
        action->setIcon(m_context.theme.icon(QLatin1String(icon)));
        return action;
    };
    m_steering = new SteeringCommands(m_context, m_table, [this] { return chosenKeys(); });
    m_open = add("network_tasks.open", tr("Open task"), QKeySequence(QStringLiteral("Ctrl+Return")), "continue",
                 tr("Open the chosen task as a workload: its schedules, loops and code (double click)"),
                 [this] { openTask(); });
    m_all = add(
        "network_tasks.all", tr("All kernels"), {}, "columns",
        tr("Show what there is nothing to tune in, too: what only moves elements, or computes each by itself"), [] {},
        true);
    m_forms = add(
        "network_tasks.forms", tr("All forms"), {}, "swap",
        tr("Search every form in which a node may be computed (direct, Winograd, im2col, ...) and take the fastest"),
        [this] { tryForms(m_forms->isChecked()); }, true);
    m_all->setChecked(m_context.settings.value(kAllKey, false).toBool());
    const auto showAll = [this](bool all) {
        m_context.settings.setValue(kAllKey, all);
        static_cast<TaskRows *>(m_order)->setAll(all);
        refresh();
    };
    connect(m_all, &QAction::toggled, this, showAll);
    showAll(m_all->isChecked());
    QAction *copy = add("network_tasks.copy", tr("Copy tasks"), QKeySequence::Copy, "copy",
                        tr("Copy the selected tasks as tab separated lines"),
                        [this] { QApplication::clipboard()->setText(rowsText(true, false)); });
    m_course = add(
        "network_tasks.course", tr("Time over trials"), {}, "search",
        tr("Show how the estimated time of the network fell, beside the table"), [] {}, true);
    m_course->setChecked(m_context.settings.value(kCourseKey, true).toBool());
    connect(m_course, &QAction::toggled, this, [this](bool shown) {
        m_context.settings.setValue(kCourseKey, shown);
        showPlot();
    });
    const auto line = [this] {
        auto *separator = new QAction(this);
        separator->setSeparator(true);
        return separator;
    };
    m_tools->addButtons({m_open, m_all, m_forms});
    m_tools->addButtons(m_steering->actions(), Qt::ToolButtonIconOnly);
    m_tools->addField(m_fusion);
    m_tools->addField(m_filter);
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    m_table->addAction(m_open);
    m_table->addAction(line());
    m_table->addActions(m_steering->actions());
    m_table->addAction(line());
    m_table->addActions({copy, m_all, m_forms, m_course});
}

// --- What is shown
// ----------------------------------------------------------------------------------------------------

void NetworkTasksView::networkChanged() {
    const OpenNetwork *shown = m_networks.current();
    const int id = shown != nullptr ? shown->id : 0;
    {
        const QScopedValueRollback following(m_following, true);
        m_network = id;
        m_model->show(shown != nullptr ? shown->kernels : nullptr);
    }
    lookForTimes();
    showProgress();
    followSelection();
    refresh();
}

void NetworkTasksView::showProgress() {
    const NetworkTuning &tuning = m_context.session.tuning();
    const NetworkProgress &progress = tuning.progress(m_network);
    m_model->setProgress(progress, tuning.steered(m_network));
    m_bar->refresh();
    showPlot();
    refresh();
}

/// Only while there is a course to be seen: an empty one takes room from the table.
void NetworkTasksView::showPlot() {
    const NetworkProgress &progress = m_context.session.tuning().progress(m_network);
    const bool any = !progress.estimated.empty() || !progress.measured.empty() || progress.underWay();
    m_plot->setVisible(any && m_course->isChecked());
    if (m_plot->isVisibleTo(this)) m_plot->show(progress);
}

void NetworkTasksView::refresh() {
    const OpenNetwork *shown = m_networks.find(m_network);
    auto &table = static_cast<TaskTable &>(*m_table);
    if (shown == nullptr)
        table.setEmptyText(tr("Open a network (.onnx, .net) to see what of it there is to tune."));
    else if (!shown->kernelsProblem.isEmpty() || !shown->problem.isEmpty())
        table.setEmptyText(shown->problem.isEmpty() ? asSentence(shown->kernelsProblem) : shown->problem);
    else if (!shown->kernels)
        table.setEmptyText(tr("Looking for the kernels of %1 \u2026").arg(shown->name()));
    else if (shown->kernels->searchable() == 0 && shown->contents && !shown->contents->symbols.empty())
        table.setEmptyText(symbolsSentence(shown->contents->symbols));
    else
        table.setEmptyText(m_filter->text().isEmpty() ? tr("There is nothing to tune in this network.")
                                                      : tr("No task fits the filter."));
    m_bar->setIdleText(tasksSentence(*m_model));
    m_filter->setEnabled(m_model->rowCount() > 0);
    m_all->setEnabled(m_model->rowCount() > 0);
    m_fusion->setEnabled(shown != nullptr && shown->contents && shown->contents->main);
    const bool better = shown != nullptr && shown->choice.fusion == FusionMode::Better;
    m_fusion->setCurrentIndex(!better ? 0 : shown->choice.confirmed ? 2 : 1);
    m_forms->setEnabled(m_fusion->isEnabled());
    m_forms->setChecked(shown != nullptr && shown->choice.rule == ImplementationRule::Tried);
    m_table->setColumnHidden(NetworkTaskModel::Form, !m_model->hasForms());
    m_steering->refresh();
    m_open->setEnabled(m_model->kernels() != nullptr && m_model->kernels()->canOpen(currentTask()));
}

void NetworkTasksView::tryForms(bool all) {
    const OpenNetwork *shown = m_networks.find(m_network);
    if (shown == nullptr) return;
    KernelChoice wanted = shown->choice;
    wanted.rule = all ? ImplementationRule::Tried : ImplementationRule::Level;
    m_networks.setImplementations(m_network, wanted);
}

void NetworkTasksView::lookForTimes() {
    const NetworkKernels *kernels = m_model->kernels();
    if (kernels == nullptr) return;
    std::map<std::string, int> keys;
    for (const NetworkTask &task : kernels->tasks)
        if (!task.key.empty()) ++keys[task.key];
    m_model->setKnown(knownTimes(m_context.session, keys));
    refresh();
}

QString NetworkTasksView::sentence() const { return tasksSentence(*m_model); }

// --- Selection
// --------------------------------------------------------------------------------------------------------

int NetworkTasksView::currentTask() const {
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    return rows.isEmpty() ? -1 : rows.first().data(NetworkTaskModel::TaskRole).toInt();
}

std::vector<std::string> NetworkTasksView::chosenKeys() const {
    std::vector<std::string> keys;
    for (const QModelIndex &row : m_table->selectionModel()->selectedRows()) {
        const int task = row.data(NetworkTaskModel::TaskRole).toInt();
        if (m_model->searchable(task)) keys.push_back(m_model->kernels()->tasks[static_cast<size_t>(task)].key);
    }
    return keys;
}

void NetworkTasksView::chosen(const QModelIndex & /*row*/) {
    refresh();
    const NetworkKernels *kernels = m_model->kernels();
    if (m_following || kernels == nullptr) return;
    std::set<std::string> sources;
    for (const QModelIndex &row : m_table->selectionModel()->selectedRows()) {
        const auto task = static_cast<size_t>(row.data(NetworkTaskModel::TaskRole).toInt());
        sources.insert(kernels->uses[task].sources.begin(), kernels->uses[task].sources.end());
    }
    const QScopedValueRollback following(m_following, true);
    m_networks.select(m_network, std::move(sources));
}

/// The row of what is selected elsewhere.
void NetworkTasksView::followSelection() {
    const OpenNetwork *shown = m_networks.find(m_network);
    const NetworkKernels *kernels = m_model->kernels();
    if (m_following || shown == nullptr || kernels == nullptr) return;
    const QScopedValueRollback following(m_following, true);
    const int task = kernels->taskAt(shown->selected);
    const QModelIndex row = task < 0 ? QModelIndex() : m_order->mapFromSource(m_model->index(task, 0));
    if (!row.isValid()) {
        m_table->clearSelection();
        return;
    }
    m_table->setCurrentIndex(row);
    m_table->scrollTo(row);
}

void NetworkTasksView::openTask() {
    const NetworkKernels *kernels = m_model->kernels();
    const int task = currentTask();
    if (kernels != nullptr && kernels->canOpen(task)) m_networks.openTask(m_network, static_cast<size_t>(task));
}

// --- Roles
// ------------------------------------------------------------------------------------------------------------

void NetworkTasksView::startFind() {
    m_filter->setFocus(Qt::ShortcutFocusReason);
    m_filter->selectAll();
}

QStringList NetworkTasksView::exportSuffixes() const { return {QStringLiteral("csv"), QStringLiteral("tsv")}; }

QString NetworkTasksView::rowsText(bool selectedOnly, bool csv) const {
    const TableFormat format = csv ? TableFormat::Csv : TableFormat::Tsv;
    QStringList lines, cells;
    std::vector<int> columns;
    for (int c = 0; c < m_order->columnCount(); ++c)
        if (!m_table->isColumnHidden(c)) columns.push_back(c);
    const auto line = [&] { lines << cells.join(tableSeparator(format)); };
    for (const int c : columns) cells << tableField(m_order->headerData(c, Qt::Horizontal).toString(), format);
    line();
    for (int row = 0; row < m_order->rowCount(); ++row) {
        if (selectedOnly && !m_table->selectionModel()->isRowSelected(row)) continue;
        cells.clear();
        for (const int c : columns) cells << tableField(m_order->index(row, c).data().toString(), format);
        line();
    }
    return lines.join(u'\n') + u'\n';
}

QString NetworkTasksView::exportTo(const QString &path) {
    if (m_order->rowCount() == 0) return tr("%1: there are no tasks to write").arg(path);
    QSaveFile file(path);
    const QByteArray bytes = rowsText(false, path.endsWith(QLatin1String(".csv"))).toUtf8();
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return tr("%1: cannot be written: %2").arg(path, file.errorString());
    return {};
}

} // namespace loopscope
