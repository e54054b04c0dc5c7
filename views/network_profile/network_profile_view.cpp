#include "views/network_profile/network_profile_view.h"

#include "input_file.h"
#include "views/actions/elided_label.h"
#include "views/network_profile/profile_timeline.h"
#include "views/session/jobs.h"
#include "views/session/messages.h"
#include "views/session/open_logs.h"
#include "views/session/table_field.h"
#include "views/session/text.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSaveFile>
#include <QScopedValueRollback>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QThread>
#include <QToolBar>
#include <QVBoxLayout>

#include <array>
#include <utility>

namespace loopscope {

namespace {
const QString kCheckKey = QStringLiteral("network_profile/check");
constexpr size_t kLargestTrace = size_t{1} << 30;
} // namespace

NetworkProfileView::NetworkProfileView(const ViewContext &context, QWidget *parent)
    : QWidget(parent), m_context(context), m_networks(context.session.networks()),
      m_model(new ProfileModel(context.theme, this)), m_order(new QSortFilterProxyModel(this)) {
    setObjectName(QStringLiteral("NetworkProfileView"));
    m_order->setSourceModel(m_model);
    m_order->setSortRole(ProfileModel::SortRole);
    build();
    addActions();
    const auto ifShown = [this](auto what) {
        return [this, what](int id) {
            if (id == m_network) (this->*what)();
        };
    };
    connect(&m_networks, &OpenNetworks::currentChanged, this, &NetworkProfileView::networkChanged);
    connect(&m_networks, &OpenNetworks::networkChanged, this, [this](int id) {
        if (const OpenNetwork *shown = m_networks.current(); shown != nullptr && shown->id == id) networkChanged();
    });
    connect(&m_networks, &OpenNetworks::profileChanged, this, ifShown(&NetworkProfileView::networkChanged));
    connect(&m_networks, &OpenNetworks::selectionChanged, this, ifShown(&NetworkProfileView::followSelection));
    connect(&m_context.session.jobs(), &Jobs::cancelled, this, [this](int job) {
        if (m_job != 0 && job == m_job) failed(m_runs, tr("The run was cancelled"));
    });
    connect(&m_context.theme, &Theme::changed, this, [this] {
        m_table->viewport()->update();
        m_timeline->update();
    });
    networkChanged();
}

NetworkProfileView::~NetworkProfileView() { m_context.session.jobs().cancel(std::exchange(m_job, 0)); }

void NetworkProfileView::build() {
    m_tools = new QToolBar(this);
    m_tools->setIconSize({16, 16});
    m_tools->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_threads = new QComboBox(this);
    m_threads->setObjectName(QStringLiteral("network_profile_threads"));
    m_threads->setAccessibleName(tr("Threads"));
    m_threads->setToolTip(tr("On how many threads kernels run"));
    const int cores = std::max(1, QThread::idealThreadCount());
    for (int threads = cores; threads >= 1; threads = threads > 1 ? threads / 2 : 0)
        m_threads->addItem(countedText(static_cast<size_t>(threads), "thread"), threads);
    m_sentence = new ElidedLabel(this);
    m_sentence->setObjectName(QStringLiteral("network_profile_sentence"));
    m_sentence->setContentsMargins(8, 0, 8, 4);
    m_timeline = new ProfileTimeline(m_context.theme, *m_model, this);
    m_table = new QTableView(this);
    m_table->setObjectName(QStringLiteral("network_profile"));
    m_table->setAccessibleName(tr("Kernels of the run"));
    m_table->setModel(m_order);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setTabKeyNavigation(false);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(ProfileModel::Number, Qt::AscendingOrder);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setStretchLastSection(true);
    const int letter = fontMetrics().averageCharWidth();
    const std::array widths{6, 24, 26, 12, 10, 12, 12, 15, 11, 12, 10, 26};
    for (size_t c = 0; c < widths.size(); ++c) m_table->setColumnWidth(static_cast<int>(c), widths[c] * letter);
    m_empty = new QLabel(this);
    m_empty->setObjectName(QStringLiteral("network_profile_empty"));
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setFocusPolicy(Qt::StrongFocus);
    m_empty->setMargin(fontMetrics().height());
    auto *row = new QHBoxLayout;
    row->setContentsMargins(4, 0, 8, 0);
    row->addWidget(m_tools);
    row->addWidget(m_threads);
    row->addStretch(1);
    m_filled = new QWidget(this);
    auto *filled = new QVBoxLayout(m_filled);
    filled->setContentsMargins(0, 0, 0, 0);
    filled->setSpacing(0);
    filled->addWidget(m_timeline);
    filled->addWidget(m_table, 1);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(row);
    column->addWidget(m_sentence);
    column->addWidget(m_filled, 1);
    column->addWidget(m_empty, 1);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &NetworkProfileView::chosen);
    connect(m_table, &QTableView::activated, this, &NetworkProfileView::openTask);
    connect(m_timeline, &ProfileTimeline::clicked, this, [this](int kernel) {
        if (kernel < 0) return m_table->clearSelection();
        const QModelIndex at = m_order->mapFromSource(m_model->index(kernel, 0));
        m_table->selectRow(at.row());
        m_table->scrollTo(at);
    });
}

void NetworkProfileView::addActions() {
    const auto add = [this](const char *id, const QString &text, const QKeySequence &keys, const char *icon,
                            const QString &tip, std::function<void()> run, bool checkable = false) {
        QAction *action = m_context.actions.add(
            {QLatin1String(id), tr("Network profile"), text, keys, tip, QLatin1String(icon), checkable}, this,
            std::move(run));
        action->setIcon(m_context.theme.icon(QLatin1String(icon)));
        return action;
    };
    m_run =
        add("network_profile.run", tr("Run network"), {}, "measure",
            tr("Build the network with the best schedules of the logs that are open, run it, and time every kernel"),
            [this] { run(); });
    m_check = add(
        "network_profile.check", tr("Check answers"), {}, "best",
        tr("Compare what every kernel computes with the reference, in double precision"), [] {}, true);
    m_check->setChecked(m_context.settings.value(kCheckKey, true).toBool());
    connect(m_check, &QAction::toggled, this, [this](bool on) { m_context.settings.setValue(kCheckKey, on); });
    m_other = add("network_profile.beside", tr("Lay beside \u2026"), {}, "compare",
                  tr("Open another profile beside this one: a trace of ours, or a profile that ONNX Runtime wrote"),
                  [this] { askForOther(); });
    m_alone =
        add("network_profile.alone", tr("Take away"), {}, "close", tr("No other profile beside this one"), [this] {
            m_otherName.clear();
            m_model->setOther({});
            refresh();
        });
    m_open = add("network_profile.open", tr("Open task"), QKeySequence(QStringLiteral("Ctrl+Return")), "continue",
                 tr("Open the task of the chosen kernel as a workload: its schedules, loops and code (double click)"),
                 [this] { openTask(); });
    m_tools->addActions({m_run, m_check, m_other, m_alone});
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    m_table->addActions({m_open, m_run, m_other});
}

// --- What is shown

QString NetworkProfileView::emptyText(const OpenNetwork *shown) const {
    if (shown == nullptr) return tr("Open a network (.onnx, .net) to run it and to see what each kernel takes.");
    if (!shown->problem.isEmpty() || !shown->kernelsProblem.isEmpty())
        return shown->problem.isEmpty() ? asSentence(shown->kernelsProblem) : shown->problem;
    if (!shown->kernels) return tr("Looking for the kernels of %1 \u2026").arg(shown->name());
    if (m_job != 0 && m_runs == shown->id) return tr("%1 is being built and run \u2026").arg(shown->name());
    if (!m_problem.isEmpty()) return m_problem;
    return tr("%1 has not been run yet. Run it to see what each of its %2 takes, and whether its answer is right. "
              "Kernels "
              "without a record in an open log run with a schedule that nobody measured.")
        .arg(shown->name(), countedText(shown->kernels->kernelCount(), "kernel"));
}

void NetworkProfileView::networkChanged() {
    const OpenNetwork *shown = m_networks.current();
    const int id = shown != nullptr ? shown->id : 0;
    if (id != m_network) m_problem.clear();
    {
        const QScopedValueRollback following(m_following, true);
        m_network = id;
        m_model->show(shown != nullptr ? shown->profile : nullptr);
    }
    if (m_job != 0 && m_networks.find(m_runs) == nullptr) // closed meanwhile
        m_context.session.jobs().cancel(std::exchange(m_job, 0));
    followSelection();
    refresh();
}

QString NetworkProfileView::otherSentence() const {
    if (m_model->other().empty() || m_model->profile() == nullptr) return {};
    double sum = 0;
    for (const TracedKernel &kernel : m_model->other()) sum += kernel.time.median;
    return tr("; beside it %1: kernels %2, %3 of it without a partner here")
        .arg(m_otherName, timeText(sum), timeText(m_model->otherAlone()));
}

void NetworkProfileView::refresh() {
    const OpenNetwork *shown = m_networks.find(m_network);
    const bool some = m_model->rowCount() > 0;
    const bool running = m_job != 0 && m_runs == m_network;
    m_filled->setVisible(some);
    m_empty->setVisible(!some);
    m_empty->setText(some ? QString() : emptyText(shown));
    setFocusProxy(some ? static_cast<QWidget *>(m_table) : m_empty);
    QString text = some ? profileSentence(*m_model->profile()) + otherSentence() : QString();
    if (some && running) text = tr("Running again \u2026 Before: %1").arg(text);
    if (some && !running && !m_problem.isEmpty()) text = m_problem;
    if (some && shown != nullptr && shown->kernels != m_model->profile()->kernels)
        text += tr("; the kernels are others by now");
    m_sentence->setText(text);
    m_sentence->setVisible(!text.isEmpty());
    m_run->setEnabled(shown != nullptr && shown->kernels && m_job == 0);
    m_other->setEnabled(some);
    m_alone->setEnabled(!m_model->other().empty());
    m_table->setColumnHidden(ProfileModel::Other, m_model->other().empty());
    m_table->setColumnHidden(ProfileModel::Ratio, m_model->other().empty());
    m_table->setColumnHidden(ProfileModel::Answer, !some || !m_model->profile()->checked());
    m_open->setEnabled(!m_table->selectionModel()->selectedRows().isEmpty());
}

QString NetworkProfileView::sentence() const { return m_sentence->text(); }

// --- Running

void NetworkProfileView::run() {
    const OpenNetwork *shown = m_networks.find(m_network);
    if (shown == nullptr || !shown->kernels || m_job != 0) return;
    ProfileWish wish;
    wish.threads = m_threads->currentData().toInt();
    wish.check = m_check->isChecked();
    for (const auto &log : m_context.session.logs().all())
        if (log->state == OpenLog::State::Ready) wish.logs.push_back(std8(log->path));
    m_problem.clear();
    m_runs = m_network;
    m_job = m_context.session.jobs().start(
        tr("Running %1").arg(shown->name()), this,
        [contents = shown->contents, kernels = shown->kernels, fusion = shown->fusion, name = shown->name(),
         wish](JobControl &control) { return profileNetwork(*contents, kernels, fusion, name, wish, control); },
        [this, id = m_network](NetworkProfilePtr profile) {
            m_job = 0;
            if (profile)
                for (const std::string &note : profile->notes) m_context.session.messages().warn(qt(note));
            if (profile && !profile->firstWrong.empty())
                m_context.session.messages().fail(tr("A kernel computes something else than its network means"),
                                                  qt(profile->firstWrong));
            m_networks.setProfile(id, std::move(profile));
            refresh();
        },
        [this, id = m_network](const QString &problem) {
            m_context.session.messages().fail(tr("The network cannot be run"), problem);
            failed(id, asSentence(problem));
        });
    refresh();
}

void NetworkProfileView::failed(int network, const QString &problem) {
    m_job = 0;
    if (network == m_network) m_problem = problem;
    refresh();
}

void NetworkProfileView::askForOther() {
    auto *dialog = new QFileDialog(this, tr("Profile to lay beside"),
                                   m_context.settings.value(QStringLiteral("window/folder")).toString(),
                                   tr("Profiles (*.json);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &NetworkProfileView::openOther);
    dialog->open();
}

void NetworkProfileView::openOther(const QString &path) {
    m_context.session.jobs().start(
        tr("Reading %1").arg(QFileInfo(path).fileName()), this,
        [path = std8(path)](JobControl &) {
            return readTrace(readInputFile(path, "the profile", kLargestTrace), path);
        },
        [this, path](std::vector<TracedKernel> kernels) {
            m_otherName = QFileInfo(path).fileName();
            m_model->setOther(std::move(kernels));
            followSelection();
            refresh();
        },
        [this](const QString &problem) {
            m_context.session.messages().fail(tr("The profile cannot be laid beside this one"), problem);
        });
}

// --- Selection

void NetworkProfileView::chosen() {
    std::set<int> rows;
    for (const QModelIndex &row : m_table->selectionModel()->selectedRows())
        rows.insert(row.data(ProfileModel::RowRole).toInt());
    m_timeline->setSelected(rows);
    m_open->setEnabled(!rows.empty());
    if (m_following || m_model->profile() == nullptr) return;
    std::set<std::string> sources;
    for (const int row : rows) {
        const auto &some = m_model->profile()->sources[static_cast<size_t>(row)];
        sources.insert(some.begin(), some.end());
    }
    const QScopedValueRollback following(m_following, true);
    m_networks.select(m_network, std::move(sources));
}

void NetworkProfileView::followSelection() {
    const OpenNetwork *shown = m_networks.find(m_network);
    if (m_following || shown == nullptr || m_model->profile() == nullptr) return;
    const QScopedValueRollback following(m_following, true);
    const int row = shown->selected.empty() ? -1 : m_model->rowOf(shown->selected);
    if (row < 0) return m_table->clearSelection();
    const QModelIndex at = m_order->mapFromSource(m_model->index(row, 0));
    m_table->setCurrentIndex(at);
    m_table->scrollTo(at);
}

void NetworkProfileView::openTask() {
    const OpenNetwork *shown = m_networks.find(m_network);
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    if (shown == nullptr || !shown->kernels || rows.isEmpty()) return;
    const auto row = static_cast<size_t>(rows.first().data(ProfileModel::RowRole).toInt());
    const int task = shown->kernels->taskAt(m_model->profile()->sources[row]);
    if (shown->kernels->canOpen(task)) m_networks.openTask(m_network, static_cast<size_t>(task));
}

// --- Export

QStringList NetworkProfileView::exportSuffixes() const {
    return {QStringLiteral("json"), QStringLiteral("csv"), QStringLiteral("tsv")};
}

/// JSON is a trace that timeline viewers open, and that can be laid beside another run.
QString NetworkProfileView::exportTo(const QString &path) {
    if (m_model->rowCount() == 0) return tr("%1: nothing has been run yet").arg(path);
    QByteArray bytes;
    if (path.endsWith(QLatin1String(".json"))) {
        bytes = QByteArray::fromStdString(chromeTrace(m_model->profile()->profile));
    } else {
        const TableFormat format = path.endsWith(QLatin1String(".csv")) ? TableFormat::Csv : TableFormat::Tsv;
        for (int row = -1; row < m_order->rowCount(); ++row) {
            QStringList cells;
            for (int c = 0; c < m_order->columnCount(); ++c)
                if (!m_table->isColumnHidden(c))
                    cells << tableField(
                        (row < 0 ? m_order->headerData(c, Qt::Horizontal) : m_order->index(row, c).data()).toString(),
                        format);
            bytes += cells.join(tableSeparator(format)).toUtf8() + '\n';
        }
    }
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return tr("%1: cannot be written: %2").arg(path, file.errorString());
    return {};
}

} // namespace loopscope
