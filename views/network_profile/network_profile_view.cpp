#include "views/network_profile/network_profile_view.h"

#include "base/input_file.h"
#include "views/actions/elided_label.h"
#include "views/actions/flow_bar.h"
#include "views/actions/page_stack.h"
#include "views/network_profile/kept_runs.h"
#include "views/network_profile/profile_diff_model.h"
#include "views/network_profile/profile_pages.h"
#include "views/network_profile/profile_timeline.h"
#include "views/session/jobs.h"
#include "views/session/messages.h"
#include "views/session/open_logs.h"
#include "views/session/text.h"

#include <QComboBox>
#include <QDateTime>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QLocale>
#include <QSaveFile>
#include <QScopedValueRollback>
#include <QTableView>
#include <QThread>
#include <QVBoxLayout>

#include <utility>

namespace loopscope {

namespace {
const QString kCheckKey = QStringLiteral("network_profile/check");
const QString kSelectKey = QStringLiteral("network_profile/contest");
constexpr size_t kAlternatives = 8; // of each kernel, where they compete
constexpr size_t kLargestTrace = size_t{1} << 30;
} // namespace

NetworkProfileView::NetworkProfileView(const ViewContext &context, QWidget *parent)
    : QWidget(parent), m_context(context), m_networks(context.session.networks()),
      m_model(new ProfileModel(context.theme, this)), m_beside(new KeptRuns(m_networks, &context.session.file())) {
    setObjectName(QStringLiteral("NetworkProfileView"));
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
    connect(m_beside, &KeptRuns::changed, this, &NetworkProfileView::showBeside);
    connect(&m_context.session.jobs(), &Jobs::cancelled, this, [this](int job) {
        if (m_job != 0 && job == m_job) failed(m_runs, tr("The run was cancelled"));
    });
    connect(&m_context.theme, &Theme::changed, this, [this] {
        m_pages->table().viewport()->update();
        m_pages->diff().viewport()->update();
        m_timeline->update();
    });
    networkChanged();
}

NetworkProfileView::~NetworkProfileView() { m_context.session.jobs().cancel(std::exchange(m_job, 0)); }

void NetworkProfileView::build() {
    m_tools = new FlowBar(this);
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
    m_pages = new ProfilePages(m_context.theme, *m_model, this);
    m_empty = newEmptySentence(QStringLiteral("network_profile_empty"), this);
    m_filled = new QWidget(this);
    auto *filled = new QVBoxLayout(m_filled);
    filled->setContentsMargins(0, 0, 0, 0);
    filled->setSpacing(0);
    filled->addWidget(m_timeline);
    filled->addWidget(m_pages, 1);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_tools);
    column->addWidget(m_sentence);
    column->addWidget(m_filled, 1);
    column->addWidget(m_empty, 1);
    connect(m_pages, &ProfilePages::chosenChanged, this, &NetworkProfileView::chosen);
    connect(m_pages, &ProfilePages::activated, this, &NetworkProfileView::openTask);
    connect(m_pages, &ProfilePages::pageChanged, this, &NetworkProfileView::refresh);
    connect(m_timeline, &ProfileTimeline::clicked, this, [this](int kernel) {
        m_pages->choose(kernel < 0 ? std::set<int>{} : std::set<int>{kernel});
        chosen();
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
    m_select = add(
        "network_profile.contest", tr("Choose where they run"), {}, "swap",
        tr("How fast a schedule is depends on where the kernel before left its data. Before the run, time the eight "
           "most promising schedules of each kernel in the logs (or, without one, those estimated best) inside the "
           "network, and take the fastest: half a minute to some minutes"),
        [] {}, true);
    m_select->setChecked(m_context.settings.value(kSelectKey, false).toBool());
    connect(m_select, &QAction::toggled, this, [this](bool on) { m_context.settings.setValue(kSelectKey, on); });
    m_keep = add("network_profile.keep", tr("Keep for comparison"), {}, "pin",
                 tr("This run stays beside the next ones of this network: what each kernel gains or loses"),
                 [this] { keep(); });
    m_other = add("network_profile.beside", tr("Lay beside \u2026"), {}, "compare",
                  tr("Open another profile beside this one: a trace of ours, or a profile that ONNX Runtime wrote"),
                  [this] { askForOther(); });
    m_alone = add("network_profile.alone", tr("Take away"), {}, "close", tr("No other profile beside this one"),
                  [this] { m_beside->forget(m_network); });
    m_open = add("network_profile.open", tr("Open task"), QKeySequence(QStringLiteral("Ctrl+Return")), "continue",
                 tr("Open the task of the chosen kernel as a workload: its schedules, loops and code (double click)"),
                 [this] { openTask(); });
    m_expand = add("network_profile.expand", tr("Expand all layers"), {}, "expand",
                   tr("Every level of the layers, down to the kernels"), [this] { m_pages->expandAll(true); });
    m_collapse = add("network_profile.collapse", tr("Collapse all layers"), {}, "collapse",
                     tr("The outermost levels of the layers alone"), [this] { m_pages->expandAll(false); });
    m_tools->addButtons({m_run, m_check, m_select, m_keep, m_other, m_alone});
    m_tools->addField(m_threads);
    m_pages->setContextActions({m_open, m_run, m_keep, m_other, m_expand, m_collapse});
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
        m_beside->forgetClosed();
    }
    showBeside();
    if (m_job != 0 && m_networks.find(m_runs) == nullptr) // closed meanwhile
        m_context.session.jobs().cancel(std::exchange(m_job, 0));
}

/// What lies beside the run of the network that is shown.
void NetworkProfileView::showBeside() {
    const KeptRun *kept = m_beside->find(m_network);
    const auto kernels = kept == nullptr ? nullptr : kept->kernels;
    if (kernels != m_shownBeside) m_model->setOther(kernels ? *kernels : std::vector<TracedKernel>());
    m_shownBeside = kernels;
    followSelection();
    refresh();
}

void NetworkProfileView::keep() {
    if (m_model->profile() == nullptr) return;
    const PlanProfile &run = m_model->profile()->profile;
    m_beside->keep(m_network,
                   {tr("the run that was kept at %1")
                        .arg(QLocale().toString(QDateTime::currentDateTime(), QStringLiteral("HH:mm, d MMMM"))),
                    std::make_shared<const std::vector<TracedKernel>>(tracedKernels(run))});
}

QString NetworkProfileView::otherSentence() const {
    if (m_model->other().empty() || m_model->profile() == nullptr) return {};
    const ProfileDiffModel &difference = m_pages->difference();
    QString text = tr("beside it %1: kernels %2 there, %3 here (%4)")
                       .arg(m_beside->find(m_network)->name, timeText(difference.before()),
                            timeText(difference.after()), timeChangeText(difference.after() - difference.before()));
    if (const double alone = m_model->otherAlone(); alone > 0)
        text += tr(", %1 of it without a partner here").arg(timeText(alone));
    return text;
}

void NetworkProfileView::refresh() {
    const OpenNetwork *shown = m_networks.find(m_network);
    const bool some = m_model->rowCount() > 0;
    const bool running = m_job != 0 && m_runs == m_network;
    m_filled->setVisible(some);
    m_empty->setVisible(!some);
    m_empty->setText(some ? QString() : emptyText(shown));
    setFocusProxy(some ? static_cast<QWidget *>(m_pages) : m_empty);
    QStringList sentences;
    if (some) sentences << profileSentence(*m_model->profile());
    if (const QString other = otherSentence(); !other.isEmpty()) {
        // What one looks at comes first, as the line may be too long.
        sentences << other;
        if (m_pages->page() == ProfilePages::Compared) {
            std::swap(sentences.first(), sentences.last());
            sentences.first()[0] = sentences.first()[0].toUpper();
            sentences.last()[0] = sentences.last()[0].toLower();
        }
    }
    QString text = sentences.join(QStringLiteral("; "));
    if (some && running) text = tr("Running again \u2026 Before: %1").arg(text);
    if (some && !running && !m_problem.isEmpty()) text = m_problem;
    if (some && shown != nullptr && shown->kernels != m_model->profile()->kernels)
        text += tr("; the kernels are others by now");
    m_sentence->setText(text);
    m_sentence->setVisible(!text.isEmpty());
    m_run->setEnabled(shown != nullptr && shown->kernels && m_job == 0);
    m_other->setEnabled(some);
    m_alone->setEnabled(!m_model->other().empty());
    m_keep->setEnabled(some);
    const bool layers = some && m_pages->page() == ProfilePages::Layers;
    m_expand->setEnabled(layers);
    m_collapse->setEnabled(layers);
    m_pages->refresh();
    m_open->setEnabled(!m_pages->chosen().empty());
}

QString NetworkProfileView::sentence() const { return m_sentence->text(); }

// --- Running

void NetworkProfileView::run() {
    const OpenNetwork *shown = m_networks.find(m_network);
    if (shown == nullptr || !shown->kernels || m_job != 0) return;
    ProfileRequest wanted;
    wanted.threads = m_threads->currentData().toInt();
    wanted.check = m_check->isChecked();
    wanted.alternatives = m_select->isChecked() ? kAlternatives : 1;
    for (const auto &log : m_context.session.logs().all())
        if (log->state == OpenLog::State::Ready) wanted.logs.push_back(std8(log->path));
    m_problem.clear();
    m_runs = m_network;
    m_job = m_context.session.jobs().start(
        tr("Running %1").arg(shown->name()), this,
        [contents = shown->contents, kernels = shown->kernels, choice = shown->choice, name = shown->name(),
         wanted](JobControl &control) { return profileNetwork(*contents, kernels, choice, name, wanted, control); },
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
        [this, path, id = m_network](std::vector<TracedKernel> kernels) {
            if (m_networks.find(id) == nullptr) return; // closed meanwhile
            m_beside->keep(id, {QFileInfo(path).fileName(),
                                std::make_shared<const std::vector<TracedKernel>>(std::move(kernels))});
        },
        [this](const QString &problem) {
            m_context.session.messages().fail(tr("The profile cannot be laid beside this one"), problem);
        });
}

// --- Selection

void NetworkProfileView::chosen() {
    const std::set<int> &rows = m_pages->chosen();
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
    const std::set<int> rows = m_model->rowsOf(shown->selected);
    m_pages->choose(rows);
    m_timeline->setSelected(rows);
    m_open->setEnabled(!rows.empty());
}

void NetworkProfileView::openTask() {
    const OpenNetwork *shown = m_networks.find(m_network);
    if (shown == nullptr || !shown->kernels || m_pages->chosen().empty()) return;
    const auto row = static_cast<size_t>(*m_pages->chosen().begin());
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
        bytes = m_pages->text(path.endsWith(QLatin1String(".csv")) ? TableFormat::Csv : TableFormat::Tsv);
    }
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return tr("%1: cannot be written: %2").arg(path, file.errorString());
    return {};
}

} // namespace loopscope
