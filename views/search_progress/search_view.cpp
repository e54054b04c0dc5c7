#include "views/search_progress/search_view.h"

#include "measure/timing/machine_peaks.h"
#include "views/search_progress/lock_strip.h"
#include "views/search_progress/log_dialog.h"
#include "views/search_progress/plot_panes.h"
#include "views/search_progress/search_panel.h"
#include "views/search_progress/setup_form.h"
#include "views/search_progress/start_strip.h"
#include "views/session/measuring.h"
#include "views/session/standing.h"
#include "views/session/text.h"

#include <QVBoxLayout>

namespace loopscope {

namespace {

constexpr int kClock = 500; // ms

MachineRooflines rooflinesOf(const MachinePeaks &peaks) {
    constexpr double kGiga = 1e9;
    MachineRooflines rooflines;
    rooflines.cores = peaks.threads;
    rooflines.oneCoreGflops = peaks.gflops1;
    rooflines.allCoresGflops = peaks.gflopsAll;
    for (const auto &memory : peaks.memory)
        rooflines.memories.push_back({qt(memory.name), memory.gbps1 * kGiga, memory.gbpsAll * kGiga});
    return rooflines;
}

/// By the figures of the target, which are those its maker publishes or its driver tells.
MachineRooflines rooflinesOf(const Target &gpu) {
    constexpr double kGiga = 1e9;
    MachineRooflines rooflines;
    rooflines.whole.clear();
    rooflines.cores = gpu.gpu.multiprocessors;
    rooflines.allCoresGflops = figuredGflops(gpu);
    rooflines.memories.push_back({QStringLiteral("global memory"), 0, gpu.gpu.memoryGBs * kGiga});
    return rooflines;
}

bool sameFields(const SearchSetup &a, const SearchSetup &b) {
    const auto fields = [](const SearchSetup &setup) {
        const auto &o = setup.options;
        return std::make_tuple(o.trials, o.timeLimitSeconds, o.seed, o.threads, o.trialsPerRound, o.population,
                               o.generations, o.randomModel, setup.layoutRewrite, setup.buildTimeout, setup.runTimeout,
                               setup.logPath, setup.on, setup.bundleFolder, setup.nodes);
    };
    return fields(a) == fields(b);
}

} // namespace

SearchView::SearchView(const ViewContext &context, QWidget *parent)
    : QWidget(parent), m_context(context), m_panel(new SearchPanel(context.theme, context.settings)) {
    setObjectName(QStringLiteral("SearchView"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_panel);
    addActions();
    Session &session = context.session;
    connect(&session.documents(), &Documents::documentChanged, this, &SearchView::followDocument);
    connect(&session.documents(), &Documents::problemChanged, this, &SearchView::followStatus);
    connect(&session.documents(), &Documents::sketchesChanged, this, &SearchView::followStatus);
    connect(&session.search(), &SearchRunner::searchChanged, this, &SearchView::followStatus);
    connect(&session.trials(), &TaskTrials::trialsAdded, this, [this](int first, int) {
        m_panel->addTrials(first);
        followStatus();
    });
    connect(&session.trials(), &TaskTrials::trialsReset, this, [this] {
        m_panel->resetTrials();
        followStatus();
    });
    connect(&session.trials(), &TaskTrials::trialsChanged, this, [this] { m_panel->resetTrials(); });
    connect(&session.trials(), &TaskTrials::roundsChanged, this, [this] { m_panel->updateRounds(); });
    connect(&session.trials(), &TaskTrials::bestChanged, this, [this] {
        m_panel->updateBest();
        m_panel->updateClock();
    });
    connect(&session.trials(), &TaskTrials::baselineChanged, this, [this] { m_panel->updateClock(); });
    connect(&session.peaks(), &MeasuredPeaks::peaksReady, this, [this] {
        followMachine();
        followStatus();
    });
    connect(&session.jobs(), &Jobs::changed, this, &SearchView::followStatus);
    connect(&session.selection(), &Selection::changed, this, &SearchView::followSelection);

    connect(m_panel, &SearchPanel::primaryClicked, this, [this] {
        switch (m_panel->buttons().primary) {
        case SearchButtons::Primary::Start:
            return m_start->trigger();
        case SearchButtons::Primary::Pause:
            return m_pause->trigger();
        case SearchButtons::Primary::Resume:
            return m_resume->trigger();
        }
    });
    connect(m_panel, &SearchPanel::stopClicked, this, [this] { m_stop->trigger(); });
    connect(m_panel, &SearchPanel::continueClicked, this, [this] { m_continue->trigger(); });
    connect(m_panel, &SearchPanel::trialSelected, this, &SearchView::selectTrial);
    connect(m_panel, &SearchPanel::trialsBrushed, this,
            [this](const std::vector<int> &trials) { m_context.session.selection().selectTrials(trials); });
    connect(m_panel, &SearchPanel::measureMachine, this, [this] { m_context.session.peaks().measure(); });
    connect(m_panel, &SearchPanel::compareAgain, this, [this] {
        if (const Document *document = m_context.session.document())
            m_context.session.search().remeasure(comparedWith(*document, document->best));
    });
    connect(m_panel, &SearchPanel::exported, this, [this](const QString &path, const QString &problem) {
        const QString kind = QStringLiteral("export");
        if (!problem.isEmpty()) return m_context.session.messages().fail(problem, {}, kind);
        m_context.session.messages().succeeded(kind);
        m_context.session.messages().note(QStringLiteral("Exported %1").arg(path));
    });
    connect(&m_panel->form(), &SetupForm::setupChanged, this,
            [this](const SearchSetup &setup) { m_context.session.search().setSetup(setup); });
    connect(&m_panel->form(), &SetupForm::targetChanged, this, [this](const QString &target) {
        const Document *document = m_context.session.document();
        if (document && document->targetText != target) m_context.session.documents().setTarget(target);
    });
    LockStrip &locks = m_panel->locks();
    connect(&session.locks(), &Locks::changed, this, &SearchView::followStatus);
    connect(&locks, &LockStrip::patternsWanted, this,
            [this] { m_panel->locks().setPatterns(m_context.session.locks().patterns()); });
    connect(&locks, &LockStrip::patternTyped, this,
            [this](const QString &pattern) { m_panel->locks().setProblem(m_context.session.locks().toggle(pattern)); });
    connect(&locks, &LockStrip::unlocked, this,
            [this](const ScheduleLock &lock) { m_context.session.locks().remove(lock); });
    StartStrip &start = m_panel->start();
    Scheduling &scheduling = session.scheduling();
    connect(&scheduling, &Scheduling::changed, this, &SearchView::followStart);
    connect(&start, &StartStrip::sampledChosen, &scheduling, &Scheduling::beginSampled);
    connect(&start, &StartStrip::groupingChosen, &scheduling, &Scheduling::beginWithGrouping);
    connect(&start, &StartStrip::shownChosen, this,
            [this] { m_context.session.scheduling().beginWith(m_context.session.selection().now().schedule); });
    connect(&start, &StartStrip::allChosen, &scheduling, &Scheduling::searchAll);
    connect(&start, &StartStrip::groupChosen, &scheduling, &Scheduling::confineTo);
    connect(&start, &StartStrip::groupsWanted, &scheduling, &Scheduling::findGroups);
    m_clock.setInterval(kClock);
    connect(&m_clock, &QTimer::timeout, this, [this] {
        if (isVisible()) m_panel->updateClock();
    });
    followMachine();
    followDocument();
}

void SearchView::addActions() {
    Session &session = m_context.session;
    const QString category = QStringLiteral("Search");
    // The commands work anywhere in the window, so they belong to no widget; those of the plots work in the plots.
    auto *everywhere = new QObject(this);
    const auto add = [&](QObject *owner, const char *id, const QString &text, const char *key, const QString &tip,
                         const char *icon, std::function<void()> run) {
        ActionInfo info{QLatin1String(id), category, text, QKeySequence(QLatin1String(key)), tip, QLatin1String(icon)};
        return m_context.actions.add(info, owner, std::move(run));
    };
    m_start = add(everywhere, actionId(Capability::StartSearch), QStringLiteral("Start search"), "Ctrl+R",
                  QStringLiteral("Search for the fastest schedule"), "search",
                  [this, &session] { askForLog(this, session, [&session] { session.search().start(); }); });
    m_pause = add(everywhere, actionId(Capability::PauseSearch), QStringLiteral("Pause search"), "",
                  QStringLiteral("Pause after what is under way"), "pause", [&session] { session.search().pause(); });
    m_resume =
        add(everywhere, actionId(Capability::ResumeSearch), QStringLiteral("Continue search"), "",
            QStringLiteral("Go on where the search was paused"), "resume", [&session] { session.search().resume(); });
    m_stop = add(everywhere, actionId(Capability::StopSearch), QStringLiteral("Stop search"), "Ctrl+.",
                 QStringLiteral("Stop; all trials so far are kept"), "stop", [&session] { session.search().stop(); });
    m_continue =
        add(everywhere, actionId(Capability::ContinueSearch), QStringLiteral("Continue with more trials"), "",
            QStringLiteral("Measure more trials, learning from those there are"), "continue", [this, &session] {
                askForLog(this, session, [this, &session] { session.search().continueWith(m_panel->moreTrials()); });
            });
    m_measureMachine =
        add(everywhere, "search.measureMachine", QStringLiteral("Measure this machine"), "",
            QStringLiteral("Measure the peak of arithmetic and memory, for the roofline and the share of the peak"),
            "measure", [&session] { session.peaks().measure(); });
    QWidget *plots = &m_panel->panes();
    add(plots, "search.next_trial", QStringLiteral("Next trial in the plots"), ".",
        QStringLiteral("Selects the next valid trial"), "forward", [this] { selectTrial(m_panel->neighbour(1)); });
    add(plots, "search.previous_trial", QStringLiteral("Previous trial in the plots"), ",",
        QStringLiteral("Selects the valid trial before"), "back", [this] { selectTrial(m_panel->neighbour(-1)); });
    add(plots, "search.best_trial", QStringLiteral("Best trial"), "B", QStringLiteral("Selects the fastest trial"), "",
        [this] {
            if (const Document *document = m_context.session.document()) selectTrial(document->best);
        });
}

void SearchView::followDocument() {
    Session &session = m_context.session;
    const Document *document = session.document();
    const bool other = document && document->id != m_document;
    m_document = document ? document->id : 0;
    m_panel->setDocument(document);
    followMachine(); // another target has other cores
    // What was chosen the last time holds for a workload that brings no choices of its own.
    if (other && document->search.state == SearchState::Idle && sameFields(document->setup, SearchSetup{}))
        session.search().setSetup(storedSetup(m_context.settings));
    followStatus();
    followSelection();
}

void SearchView::followStatus() {
    Session &session = m_context.session;
    const QString busy =
        session.search().underWay() ? QStringLiteral("a search is running: both times would be wrong") : QString();
    m_panel->updateStatus(session.search().whyNotStart(), session.search().whyNotContinue());
    m_panel->setMeasuringMachine(session.peaks().measuring(), busy);
    const auto &buttons = m_panel->buttons();
    using Primary = SearchButtons::Primary;
    const auto set = [this](QAction *action, bool enabled, const QString &why) {
        action->setEnabled(enabled);
        const auto info = m_context.actions.info(action);
        action->setToolTip(enabled || why.isEmpty() ? tipWithShortcut(info.tip, info.shortcut) : why);
    };
    const QString notRunning = QStringLiteral("No search is running.");
    set(m_start, buttons.primary == Primary::Start && buttons.canPrimary,
        buttons.primary == Primary::Start ? buttons.whyNotPrimary : QStringLiteral("The search is running."));
    set(m_pause, buttons.primary == Primary::Pause && buttons.canPrimary,
        buttons.whyNotPrimary.isEmpty() ? notRunning : buttons.whyNotPrimary);
    set(m_resume, buttons.primary == Primary::Resume && buttons.canPrimary, QStringLiteral("No search is paused."));
    set(m_stop, buttons.canStop, buttons.whyNotStop);
    set(m_continue, buttons.canContinue, buttons.whyNotContinue);
    set(m_measureMachine, busy.isEmpty() && !session.peaks().measuring(),
        busy.isEmpty() ? QStringLiteral("The machine is being measured.") : QStringLiteral("Not now: %1.").arg(busy));
    const Document *document = session.document();
    const bool running = document && document->search.state == SearchState::Running;
    if (running && !m_clock.isActive()) m_clock.start();
    if (!running) m_clock.stop();
}

void SearchView::followSelection() {
    const Selected &now = m_context.session.selection().now();
    m_panel->select(now.schedule.kind == ScheduleRef::Kind::Trial ? now.schedule.number : -1, now.trials);
    followStart();
}

void SearchView::followStart() {
    Session &session = m_context.session;
    const Document *document = session.document();
    if (!document) return;
    const Scheduling &scheduling = session.scheduling();
    const ScheduleRef &shown = session.selection().now().schedule;
    m_panel->start().setGroups(scheduling.groups(), scheduling.whyNoGroups());
    m_panel->start().show({document->beginning.schedule ? document->beginning.name : QString(), scheduling.confinedTo(),
                           !document->locks.empty(),
                           document->has(shown) ? scheduleName(*document, shown) : QString()});
}

void SearchView::followMachine() {
    const Document *document = m_context.session.document();
    if (document && document->task && document->task->target.isGpu())
        return m_panel->setMachine(rooflinesOf(document->task->target));
    const MachinePeaks *peaks = m_context.session.peaks().now();
    m_panel->setMachine(peaks ? std::optional(rooflinesOf(*peaks)) : std::nullopt);
}

void SearchView::selectTrial(int trial) {
    if (trial >= 0) m_context.session.selection().selectSchedule({ScheduleRef::Kind::Trial, trial});
}

QStringList SearchView::exportSuffixes() const { return m_panel->panes().current()->plot().exportSuffixes(); }
QString SearchView::exportTo(const QString &path) { return m_panel->panes().current()->plot().exportTo(path); }
void SearchView::zoomIn() { m_panel->panes().current()->plot().zoomIn(); }
void SearchView::zoomOut() { m_panel->panes().current()->plot().zoomOut(); }
void SearchView::zoomToFit() { m_panel->panes().current()->plot().zoomToFit(); }

} // namespace loopscope
