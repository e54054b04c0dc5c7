#include "views/session/search_runner.h"

#include "measure/timing/machine_peaks.h"
#include "search/target_rules.h"
#include "views/session/measuring.h"
#include "views/session/standing.h"
#include "views/session/tasks.h"
#include "views/session/text.h"

#include <QElapsedTimer>

#include <algorithm>

namespace loopscope {

namespace {

constexpr size_t kTakeAtOnce = 64;                    // events between two looks at the clock
constexpr int kDrainEvery = 33;                       // ms
constexpr int kDrainBudget = 6;                       // ms of the UI thread
const QString kSearchKind = QStringLiteral("search"); // of messages

QString phaseText(const PhaseStarted &phase) {
    QString text = qt(searchPhaseText(phase.phase));
    if (!phase.detail.empty()) text += QStringLiteral(": ") + qt(phase.detail);
    return text;
}

RoundInfo &roundOf(TaskState &state, int number) {
    for (auto &round : state.rounds)
        if (round.round == number) return round;
    state.rounds.emplace_back().round = number;
    return state.rounds.back();
}

TrialEntry entryOf(const SearchOrder &order, const Trial &trial, const QString &machine) {
    TrialEntry entry;
    entry.trial = trial;
    entry.logPath = order.logPath;
    entry.recordHash = recordHash(makeRecord(*order.task, trial));
    entry.layoutRewrite = static_cast<int>(order.task->layoutRewrite);
    if (!machine.isEmpty()) entry.later.change().machine = machine;
    return entry;
}

} // namespace

/// What a batch of events changed, told once.
struct SearchDigest {
    std::vector<TrialEntry> trials;
    std::optional<FinalistsCompared> compared;
    bool rounds = false;
    bool status = false;
};

SearchRunner::SearchRunner(const SearchParts &parts)
    : m_parts(parts), m_again(parts.documents, parts.trials, parts.messages, parts.jobs),
      m_byHand({parts.documents, parts.trials, parts.edits, parts.settings, parts.messages, parts.jobs}),
      m_pairs({parts.documents, parts.messages, parts.jobs}) {
    connect(&m_pairs, &PairTiming::changed, this, &SearchRunner::searchChanged);
    connect(&parts.trials, &TaskTrials::aboutToDrop, &m_pairs, &PairTiming::forget);
    connect(&m_again, &Remeasuring::changed, this, &SearchRunner::searchChanged);
    connect(&m_byHand, &HandMeasuring::changed, this, &SearchRunner::searchChanged);
    // Once everybody has heard that the machine is free.
    connect(this, &SearchRunner::searchChanged, this, &SearchRunner::measureWaiting, Qt::QueuedConnection);
    connect(&parts.peaks, &MeasuredPeaks::peaksReady, this, &SearchRunner::measureWaiting, Qt::QueuedConnection);
    m_drain.setInterval(kDrainEvery);
    connect(&m_drain, &QTimer::timeout, this, &SearchRunner::drain);
}

SearchRunner::~SearchRunner() {
    m_search.reset(); // cancels, waits; what was measured is in its log
}

void SearchRunner::setSetup(const SearchSetup &setup) {
    Document *shown = m_parts.documents.current();
    if (!shown) return;
    const SketchOptions before = shown->setup.options.sketch;
    shown->setup = setup;
    const SketchOptions &now = setup.options.sketch;
    const bool others = !before.sameRules(now);
    if (others && !shown->logTask) m_parts.reader.read(*shown);
    Q_EMIT searchChanged();
}

void SearchRunner::forgetTrials() {
    Document *shown = m_parts.documents.current();
    if (!shown || (m_search && m_searchTask == shown->taskId)) return;
    m_parts.trials.drop(*shown);
    Q_EMIT searchChanged();
}

void SearchRunner::remeasure(const std::vector<int> &trials) {
    const Document *shown = m_parts.documents.current();
    if (!shown || !shown->task || trials.empty()) return;
    if (const QString why = whyUntimed(shown->setup, shown->task->target); !why.isEmpty()) {
        m_parts.messages.warn(QStringLiteral("Trials are not measured again: %1").arg(why), {},
                              QStringLiteral("measure again"));
        return;
    }
    if (!machineUse().isEmpty()) {
        m_parts.messages.warn(QStringLiteral("Trials are not measured again while something else is measured: both "
                                             "times would be wrong"),
                              {}, QStringLiteral("measure again"));
        return;
    }
    m_again.start(trials, m_makeMeasurer);
}

QString SearchRunner::machineUse() const {
    if (m_search) return QStringLiteral("a search is running");
    if (m_again.underWay()) return QStringLiteral("trials are being measured again");
    if (m_byHand.underWay()) return QStringLiteral("a schedule is being measured");
    if (m_pairs.underWay()) return QStringLiteral("two schedules are being timed");
    if (m_parts.peaks.measuring()) return QStringLiteral("the machine's peaks are being measured");
    return m_parts.elsewhere();
}

QString SearchRunner::measure(const ScheduleRef &ref) {
    if (const QString why = m_byHand.whyNot(ref); !why.isEmpty()) {
        m_parts.messages.warn(QStringLiteral("The %1 cannot be measured: %2").arg(scheduleName(ref), why));
        return why;
    }
    if (const int trial = m_byHand.trialOf(ref); trial >= 0) {
        m_byHand.link(ref, trial);
        remeasure({trial});
        return {};
    }
    m_byHand.add(ref);
    if (m_search || !m_parts.elsewhere().isEmpty())
        m_parts.messages.note(QStringLiteral("The %1 is measured once the search has ended").arg(scheduleName(ref)));
    measureWaiting();
    return {};
}

void SearchRunner::measureWaiting() {
    if (machineUse().isEmpty()) m_byHand.next(m_makeMeasurer);
}

QString SearchRunner::whyNotCompare(const TaskSchedule &a, const TaskSchedule &b) const {
    const QString use = machineUse();
    return use.isEmpty() ? m_pairs.whyNot(a, b) : use;
}

void SearchRunner::comparePair(PairTiming::Asked asked, const TaskSchedule &a, const TaskSchedule &b) {
    if (whyNotCompare(a, b).isEmpty()) m_pairs.start(asked, a, b, m_makeMeasurer);
}

const TaskState *SearchRunner::task() const {
    return m_search ? std::as_const(m_parts.documents).task(m_searchTask) : nullptr;
}

QString SearchRunner::whyNotContinue() const {
    const Document *shown = m_parts.documents.current();
    if (!shown) return QStringLiteral("open a workload first");
    if (m_search) {
        const TaskState *searched = task();
        return !searched || m_parts.documents.isShown(*searched)
                   ? QStringLiteral("the search is running")
                   : QStringLiteral("%1 is being searched").arg(taskTitle(*searched));
    }
    if (const QString use = machineUse(); !use.isEmpty()) return use;
    if (shown->analysing || m_parts.reader.isWaiting()) return QStringLiteral("the workload is being read");
    if (shown->logTask) return QStringLiteral("the workload of this log is not known");
    if (const auto &problem = shown->problem)
        return problem->cancelled ? problem->sentence
                                  : QStringLiteral("the workload has an error: %1").arg(problem->sentence);
    if (!shown->task) return QStringLiteral("the workload is not understood yet");
    if (shown->sketches.empty()) return shown->sketchProblem;
    return {};
}

QString SearchRunner::whyNotStart() const {
    if (const QString why = whyNotContinue(); !why.isEmpty()) return why;
    const Document *shown = m_parts.documents.current();
    if (countedTrials(*shown) >= shown->setup.options.trials)
        return QStringLiteral("all trials asked for (%1) are there; continue with more, or raise the number of trials")
            .arg(shown->setup.options.trials);
    return {};
}

void SearchRunner::start() {
    if (const QString why = whyNotStart(); !why.isEmpty()) {
        m_parts.messages.warn(QStringLiteral("The search cannot start: %1").arg(why), {}, kSearchKind);
        return;
    }
    run();
}

void SearchRunner::continueWith(int moreTrials) {
    Document *shown = m_parts.documents.current();
    if (!shown || moreTrials <= 0) return;
    const int before = shown->setup.options.trials;
    shown->setup.options.trials = countedTrials(*shown) + moreTrials;
    if (const QString why = whyNotStart(); !why.isEmpty()) {
        shown->setup.options.trials = before;
        m_parts.messages.warn(QStringLiteral("The search cannot continue: %1").arg(why), {}, kSearchKind);
        return;
    }
    run();
}

void SearchRunner::run() {
    Document &document = *m_parts.documents.current();
    chooseLog(document, m_parts.settings);
    Task task = *document.task;
    task.layoutRewrite = layoutRewriteOf(document.setup, task.target);
    SearchOrder order;
    order.task = std::make_shared<const Task>(std::move(task));
    order.name = taskTitle(document);
    order.setup = document.setup;
    order.setup.bundleFolder = bundleFolderOf(document);
    if (document.beginning.schedule) order.startFrom = {*document.beginning.schedule};
    if (!document.locks.empty()) {
        order.setup.options.locks = std::make_shared<const ScheduleLocks>(document.locks);
        if (document.lockedFrom && document.lockedFrom != document.beginning.schedule)
            order.startFrom.push_back(*document.lockedFrom);
    }
    order.logPath = document.logPath;
    order.weightBytes = weightBytesOf(document);
    order.naiveSeconds = document.naiveSeconds;
    order.makeMeasurer = m_makeMeasurer;
    // Once; and again when a kernel outran them, as they were taken on a busy machine then.
    const MachinePeaks *known = m_parts.peaks.now();
    const bool outrun = known != nullptr && document.best >= 0 &&
                        document.trials[static_cast<size_t>(document.best)].gflops > known->gflopsAll;
    if (known == nullptr || outrun) order.measurePeaks = m_parts.peaks.measurer();
    for (const auto &entry : document.trials) {
        const bool here = entry.logPath == document.logPath && entry.logRecord >= 0;
        order.resumed.add(entry.trial, entry.recordHash,
                          here ? static_cast<size_t>(entry.logRecord) : ResumedTrials::kElsewhere);
    }
    document.search = {};
    document.search.state = SearchState::Running;
    document.search.phase = QStringLiteral("starting");
    document.search.resumed = document.search.done = static_cast<int>(document.trials.size());
    document.search.total = document.setup.options.trials + document.search.done - countedTrials(document);
    document.searchedBefore = document.elapsedTotal();
    document.roundsBefore = document.rounds.empty() ? 0 : document.rounds.back().round;
    m_machine.clear();
    m_searchTask = document.taskId;
    m_search = std::make_unique<SearchThread>(std::move(order));
    m_drain.start();
    m_parts.messages.succeeded(kSearchKind);
    Q_EMIT searchChanged();
}

QString SearchRunner::addSchedule(const Steps &schedule, const QString &by) {
    const TaskState *searched = task();
    if (!m_search || !searched || !m_parts.documents.isShown(*searched))
        return tr("No search of this workload is running, so that nothing can be put into it.");
    m_search->control().offer({schedule, std8(by), 0});
    return {};
}

void SearchRunner::pause() {
    TaskState *state = m_parts.documents.task(m_searchTask);
    if (!m_search || !state || state->search.state != SearchState::Running) return;
    m_search->control().pause();
    state->search.pause();
    Q_EMIT searchChanged();
}

void SearchRunner::resume() {
    TaskState *state = m_parts.documents.task(m_searchTask);
    if (!m_search || !state) return;
    if (state->search.state != SearchState::Paused && state->search.state != SearchState::Pausing) return;
    m_search->control().resume();
    state->search.state = SearchState::Running;
    Q_EMIT searchChanged();
}

void SearchRunner::stop() {
    TaskState *state = m_parts.documents.task(m_searchTask);
    if (!m_search || !state) return;
    m_search->control().cancel();
    state->search.state = SearchState::Stopping;
    Q_EMIT searchChanged();
}

/// What it still measures is in the log, and a job sees it off.
void SearchRunner::forgetTask(int taskId) {
    m_byHand.forgetTask(taskId);
    m_pairs.forget(taskId);
    if (!m_search || m_searchTask != taskId) return;
    m_search->control().cancel();
    m_ancestors = {};
    m_drain.stop();
    m_searchTask = 0;
    m_parts.jobs.start(
        QStringLiteral("Ending the search"), this,
        [search = std::shared_ptr<SearchThread>(std::move(m_search))](JobControl &) mutable {
            search.reset();
            return 0;
        },
        [](int) {});
}

void SearchRunner::drain() {
    TaskState *state = m_parts.documents.task(m_searchTask);
    if (!m_search || !state) {
        m_drain.stop();
        return;
    }
    QElapsedTimer clock;
    clock.start();
    SearchDigest digest;
    std::optional<SearchEnded> ended;
    do {
        const auto events = m_search->take(kTakeAtOnce);
        if (events.empty()) break;
        for (const auto &event : events) {
            if (const auto *end = std::get_if<SearchEnded>(&event)) ended = *end;
            take(*state, digest, event);
        }
    } while (clock.elapsed() < kDrainBudget && !ended);
    const bool trials = !digest.trials.empty();
    const auto before = static_cast<int>(state->trials.size());
    m_parts.trials.add(*state, std::move(digest.trials));
    if (digest.compared) m_parts.trials.tellChanged(*state, takeComparison(*state, digest.compared->entries));
    if (digest.compared)
        m_parts.trials.updateBest(*state);
    else if (trials)
        m_parts.trials.updateBest(*state, before);
    if (digest.rounds) m_parts.trials.tellRounds(*state);
    if (ended) {
        end(*state, *ended);
    } else if (digest.status) {
        Q_EMIT searchChanged(); // also of a task that is not shown: its progress is
    }
}

void SearchRunner::take(TaskState &state, SearchDigest &digest, const SessionEvent &event) {
    SearchStatus &status = state.search;
    digest.status = true;
    if (const auto *naive = std::get_if<NaiveMeasured>(&event)) {
        state.naiveSeconds = naive->seconds;
        if (naive->seconds < 0)
            m_parts.messages.warn(QStringLiteral("The naive schedule of %1 was not timed").arg(state.name),
                                  qt(naive->reason));
        return;
    }
    if (const auto *mended = std::get_if<LogRewritten>(&event)) {
        m_parts.messages.warn(asSentence(qt(mended->sentence)));
        return;
    }
    if (std::holds_alternative<PeaksBegun>(event)) {
        status.phase = QStringLiteral("measuring this machine's peaks");
        status.at = SearchPhase::PreparingReference;
        return;
    }
    if (const auto *measured = std::get_if<PeaksMeasured>(&event)) {
        m_parts.peaks.take(measured->peaks, measured->reason);
        return;
    }
    if (const auto *told = std::get_if<MachineTold>(&event)) {
        m_machine = qt(told->machine);
        return;
    }
    if (const auto *awaited = std::get_if<BundleAwaited>(&event)) return takeWait(status, awaited->wait);
    if (const auto *opened = std::get_if<FleetOpened>(&event)) return m_nodes.take(*opened);
    if (const auto *said = std::get_if<FleetTold>(&event)) return m_nodes.take(*said, status.phase, m_parts.messages);
    if (const auto *brought = std::get_if<TrialBrought>(&event)) {
        TrialEntry entry = entryOf(m_search->order(), brought->trial, m_machine);
        entry.sketch = sketchOf(brought->trial.steps.unpack(), state.sketches);
        entry.logRecord = brought->record;
        entry.elapsed = state.searchedBefore;
        const bool timed = entry.valid() && !entry.untimed();
        entry.gflops = timed && state.flops() > 0 ? state.flops() / entry.trial.cost() * 1e-9 : 0;
        digest.trials.push_back(std::move(entry));
        return;
    }
    const auto *search = std::get_if<SearchEvent>(&event);
    if (!search) return;
    const int roundsBefore = state.roundsBefore;
    std::visit(
        StepVisitor{
            [&](const PhaseStarted &phase) {
                status.phase = phaseText(phase);
                status.at = phase.phase;
                status.round = phase.round > 0 ? roundsBefore + phase.round : 0;
                if (phase.phase != SearchPhase::Building && phase.phase != SearchPhase::Measuring)
                    status.measuring = -1;
            },
            [&](const SketchTried &) {}, // the document has the derivation already
            [&](const SketchesMade &) {},
            [&](const TaskSwitched &) {}, // one task is searched at a time
            [&](const TaskPicked &) {},
            [&](const StageMerged &) {}, // of the grouping scheduler, which no search of the window is
            [&](const PopulationSampled &sampled) {
                roundOf(state, roundsBefore + sampled.round).sampled = sampled;
                digest.rounds = true;
            },
            [&](const GenerationEvolved &made) {
                roundOf(state, roundsBefore + made.round)
                    .generations.push_back({made.generation, made.population, made.invalid, made.bestScore,
                                            made.medianScore, ScoreDistribution(made.scores), made.refusals});
                digest.rounds = true;
            },
            [&](const ModelTrained &trained) {
                if (trained.round > 0) roundOf(state, roundsBefore + trained.round).training = trained.report;
                digest.rounds = true;
            },
            [&](const TrialProgress &progress) { status.trialAdvanced(progress.number - 1, progress.stage); },
            [&](const TrialFinished &finished) {
                TrialEntry entry = entryOf(m_search->order(), finished.trial, m_machine);
                entry.sketch = finished.sketch;
                entry.round = roundsBefore + finished.round;
                entry.generation = finished.lineage.generation;
                entry.mutation = qt(finished.lineage.mutation);
                entry.predicted = finished.predicted;
                entry.ancestry = m_ancestors.of(finished.ancestry, m_parts.trials.skeletons());
                entry.elapsed = state.searchedBefore + finished.elapsed;
                entry.gflops = finished.gflops;
                entry.logRecord = finished.number + m_search->recordOffset();
                status.done = finished.number;
                status.elapsed = finished.elapsed;
                status.trialEnded(finished.number - 1);
                digest.trials.push_back(std::move(entry));
            },
            [&](const RoundFinished &finished) {
                m_ancestors.forgetRound();
                RoundInfo &round = roundOf(state, roundsBefore + finished.round);
                round.trialsSoFar = finished.trials;
                round.bestSeconds = finished.bestSeconds;
                round.elapsed = state.searchedBefore + finished.elapsed;
                status.elapsed = finished.elapsed;
                digest.rounds = true;
            },
            [&](const FinalistsCompared &compared) { digest.compared = compared; },
            [&](const ScheduleOffered &offered) {
                if (offered.refused.empty())
                    m_parts.messages.note(QStringLiteral("%1 is measured next, and bred from").arg(qt(offered.by)));
                else
                    m_parts.messages.warn(
                        QStringLiteral("%1 was not put into the search: %2").arg(qt(offered.by), qt(offered.refused)));
            },
            [&](const SearchNote &note) { m_parts.messages.note(asSentence(qt(note.sentence))); },
        },
        *search);
}

void SearchRunner::end(TaskState &state, const SearchEnded &end) {
    m_search.reset();
    m_nodes.giveBack(m_parts.jobs, this);
    m_ancestors = {};
    m_drain.stop();
    m_searchTask = 0;
    SearchStatus &status = state.search;
    const bool failed = !end.problem.empty();
    const int first = rankedFirst(state);
    status.state = failed ? SearchState::Failed : SearchState::Finished;
    status.measuring = -1;
    status.running.clear();
    status.phase.clear();
    status.waiting.reset();
    const int failures = static_cast<int>(std::count_if(state.trials.begin(), state.trials.end(),
                                                        [](const TrialEntry &entry) { return !entry.valid(); }));
    if (failed) {
        status.ended = qt(end.problem);
        m_parts.messages.fail(QStringLiteral("The search of %1 failed").arg(state.name), qt(end.problem), kSearchKind);
    } else if (end.cancelled) {
        status.ended = QStringLiteral("stopped after %1 of %2")
                           .arg(status.done)
                           .arg(trialCountText(static_cast<size_t>(status.total)));
    } else if (status.done < status.total) {
        status.ended = QStringLiteral("ended after %1 of %2: %3")
                           .arg(status.done)
                           .arg(trialCountText(static_cast<size_t>(status.total)))
                           .arg(state.setup.options.timeLimitSeconds > 0 &&
                                        status.elapsed >= state.setup.options.timeLimitSeconds * 0.98
                                    ? QStringLiteral("the time budget is used up")
                                    : QStringLiteral("every schedule that could be drawn has been measured"));
    } else {
        status.ended = QStringLiteral("%1 %2, %3 failed")
                           .arg(trialCountText(static_cast<size_t>(status.total)),
                                first >= 0 ? QStringLiteral("checked and not timed") : QStringLiteral("measured"))
                           .arg(failures);
    }
    m_parts.trials.updateBest(state);
    Q_EMIT searchChanged();
    if (!m_parts.documents.isShown(state)) {
        m_parts.messages.note(QStringLiteral("The search of %1 has ended: %2").arg(taskTitle(state), status.ended));
        return;
    }
    const int shown = state.best >= 0 ? state.best : first;
    if (shown >= 0 && m_parts.selection.now().schedule.kind == ScheduleRef::Kind::Naive)
        m_parts.selection.selectSchedule({ScheduleRef::Kind::Trial, shown});
}

} // namespace loopscope
