// Searching and measuring again: orders to the search thread, and what comes back from it.

#include "views/session/session.h"

#include "measure/disassembly.h"
#include "record/record_writer.h"
#include "timing/machine_peaks.h"
#include "views/session/log_trials.h"
#include "views/session/memory.h"
#include "views/session/representation_cache.h"
#include "views/session/search_thread.h"
#include "views/session/standing.h"
#include "views/session/tasks.h"
#include "views/session/text.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>

#include <algorithm>

namespace loopscope {

namespace {

constexpr size_t kTakeAtOnce = 64;                    // events between two looks at the clock
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

} // namespace

/// What a batch of events changed, told once.
struct SearchDigest {
    std::vector<TrialEntry> trials;
    std::optional<FinalistsCompared> compared;
    bool rounds = false;
    bool status = false;
};

bool Session::searching() const { return m_search != nullptr; }

const TaskState *Session::searchedTask() const {
    if (!m_search) return nullptr;
    for (const auto &document : m_documents)
        if (const TaskState *state = loopscope::taskOf(std::as_const(*document), m_searchTask)) return state;
    return nullptr;
}

QString Session::whyNotContinue() const {
    if (!m_current) return QStringLiteral("open a workload first");
    if (m_search) {
        const TaskState *searched = searchedTask();
        return !searched || isShown(*searched) ? QStringLiteral("the search is running")
                                               : QStringLiteral("%1 is being searched").arg(taskTitle(*searched));
    }
    if (m_remeasuring) return QStringLiteral("trials are being measured again");
    if (m_peaksJob != 0) return QStringLiteral("the machine's peaks are being measured");
    if (m_current->analysing || m_analyseSoon.isActive()) return QStringLiteral("the workload is being read");
    if (m_current->logTask) return QStringLiteral("the workload of this log is not known");
    if (m_current->problem) return QStringLiteral("the workload has an error: %1").arg(m_current->problem->sentence);
    if (!m_current->task) return QStringLiteral("the workload is not understood yet");
    if (m_current->task->target.isGpu())
        return QStringLiteral(
            "searching for CUDA needs a GPU runner, which this version does not have; choose an llvm target");
    if (m_current->sketches.empty()) return m_current->sketchProblem;
    return {};
}

QString Session::whyNotSearch() const {
    if (const QString why = whyNotContinue(); !why.isEmpty()) return why;
    if (static_cast<int>(m_current->trials.size()) >= m_current->setup.options.trials)
        return QStringLiteral("all trials asked for (%1) are there; continue with more, or raise the number of trials")
            .arg(m_current->setup.options.trials);
    return {};
}

void Session::startSearch() {
    if (const QString why = whyNotSearch(); !why.isEmpty()) {
        m_messages.warn(QStringLiteral("The search cannot start: %1").arg(why), {}, kSearchKind);
        return;
    }
    runSearch();
}

void Session::continueSearch(int moreTrials) {
    if (!m_current || moreTrials <= 0) return;
    const int before = m_current->setup.options.trials;
    m_current->setup.options.trials = static_cast<int>(m_current->trials.size()) + moreTrials;
    if (const QString why = whyNotSearch(); !why.isEmpty()) {
        m_current->setup.options.trials = before;
        m_messages.warn(QStringLiteral("The search cannot continue: %1").arg(why), {}, kSearchKind);
        return;
    }
    runSearch();
}

void Session::runSearch() {
    Document &document = *m_current;
    if (!document.setup.logPath.isEmpty()) {
        document.logPath = document.setup.logPath;
    } else if (document.logPath.isEmpty()) {
        const QString chosen = m_settings.value(QStringLiteral("defaults/log_folder")).toString();
        const QString folder = chosen.isEmpty() ? m_settings.stateFolder() + QStringLiteral("/logs") : chosen;
        QDir().mkpath(folder);
        const QString stem =
            QStringLiteral("%1/%2-%3")
                .arg(folder, document.name, QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss")));
        document.logPath = stem + QStringLiteral(".json");
        for (int i = 2; QFileInfo::exists(document.logPath); ++i)
            document.logPath = QStringLiteral("%1-%2.json").arg(stem).arg(i);
    }
    Task task = *document.task;
    task.layoutRewrite = static_cast<LayoutRewrite>(document.setup.layoutRewrite);
    SearchOrder order;
    order.task = std::make_shared<const Task>(std::move(task));
    order.name = taskTitle(document);
    order.setup = document.setup;
    order.logPath = document.logPath;
    order.naiveSeconds = document.naiveSeconds;
    order.makeMeasurer = m_makeMeasurer;
    // Once; and again when a kernel outran them, as they were taken on a busy machine then.
    const MachinePeaks *known = peaks();
    const bool outrun = known != nullptr && document.best >= 0 &&
                        document.trials[static_cast<size_t>(document.best)].gflops > known->gflopsAll;
    if (known == nullptr || outrun) order.measurePeaks = m_measurePeaks;
    for (const auto &entry : document.trials) {
        order.resumed.push_back(entry.trial);
        order.resumedRecords.push_back(entry.logPath == document.logPath ? entry.logRecord : -1);
    }
    document.search = {};
    document.search.state = SearchState::Running;
    document.search.phase = QStringLiteral("starting");
    document.search.resumed = document.search.done = static_cast<int>(document.trials.size());
    document.search.total = document.setup.options.trials;
    document.searchedBefore = document.elapsedTotal();
    document.roundsBefore = document.rounds.empty() ? 0 : document.rounds.back().round;
    m_searchTask = document.taskId;
    m_search = std::make_unique<SearchThread>(std::move(order));
    m_drain.start();
    m_messages.succeeded(kSearchKind);
    Q_EMIT searchChanged();
}

void Session::pauseSearch() {
    TaskState *state = taskOf(m_searchTask);
    if (!m_search || !state || state->search.state != SearchState::Running) return;
    m_search->control().pause();
    state->search.state = state->search.measuring >= 0 ? SearchState::Pausing : SearchState::Paused;
    Q_EMIT searchChanged();
}

void Session::resumeSearch() {
    TaskState *state = taskOf(m_searchTask);
    if (!m_search || !state) return;
    if (state->search.state != SearchState::Paused && state->search.state != SearchState::Pausing) return;
    m_search->control().resume();
    state->search.state = SearchState::Running;
    Q_EMIT searchChanged();
}

void Session::stopSearch() {
    TaskState *state = taskOf(m_searchTask);
    if (!m_search || !state) return;
    m_search->control().cancel();
    state->search.state = SearchState::Stopping;
    Q_EMIT searchChanged();
}

/// Nobody waits for its end: what it still measures is in the log, and a job sees it off.
void Session::abandonSearch() {
    m_search->control().cancel();
    m_drain.stop();
    m_searchTask = 0;
    m_jobs.start(
        QStringLiteral("Ending the search"), this,
        [search = std::shared_ptr<SearchThread>(std::move(m_search))](JobControl &) mutable {
            search.reset();
            return 0;
        },
        [](int) {});
}

void Session::drainSearch() {
    TaskState *state = taskOf(m_searchTask);
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
    const bool shown = isShown(*state);
    const bool trials = !digest.trials.empty();
    addTrials(*state, std::move(digest.trials));
    if (digest.compared) {
        const std::vector<int> changed = takeComparison(*state, digest.compared->entries);
        if (shown) Q_EMIT trialsChanged(changed);
    }
    if (trials || digest.compared) updateBest(*state);
    if (digest.rounds && shown) Q_EMIT roundsChanged();
    if (ended) {
        endSearch(*state, *ended);
    } else if (digest.status) {
        Q_EMIT searchChanged(); // also of a task that is not shown: its progress is
    }
}

void Session::take(TaskState &state, SearchDigest &digest, const SessionEvent &event) {
    SearchStatus &status = state.search;
    digest.status = true;
    if (const auto *naive = std::get_if<NaiveMeasured>(&event)) {
        state.naiveSeconds = naive->seconds;
        if (naive->seconds < 0)
            m_messages.warn(QStringLiteral("The naive schedule of %1 was not timed").arg(state.name),
                            qt(naive->reason));
        return;
    }
    if (const auto *mended = std::get_if<LogMended>(&event)) {
        m_messages.warn(asSentence(qt(mended->sentence)));
        return;
    }
    if (std::holds_alternative<PeaksBegun>(event)) {
        status.phase = QStringLiteral("measuring this machine's peaks");
        status.at = SearchPhase::PreparingReference;
        return;
    }
    if (const auto *measured = std::get_if<PeaksMeasured>(&event)) {
        takePeaks(measured->peaks, measured->reason);
        return;
    }
    const auto *search = std::get_if<SearchEvent>(&event);
    if (!search) return;
    const int roundsBefore = state.roundsBefore;
    std::visit(StepVisitor{
                   [&](const PhaseStarted &phase) {
                       status.phase = phaseText(phase);
                       status.at = phase.phase;
                       status.round = phase.round > 0 ? roundsBefore + phase.round : 0;
                       if (phase.phase != SearchPhase::Building && phase.phase != SearchPhase::Measuring)
                           status.measuring = -1;
                   },
                   [&](const SketchTried &) {}, // the document has the derivation already
                   [&](const SketchesMade &) {},
                   [&](const PopulationSampled &sampled) {
                       roundOf(state, roundsBefore + sampled.round).sampled = sampled;
                       digest.rounds = true;
                   },
                   [&](const GenerationEvolved &made) {
                       roundOf(state, roundsBefore + made.round)
                           .generations.push_back({made.generation, made.population, made.invalid, made.bestScore,
                                                   made.medianScore, made.scores, made.refusals});
                       digest.rounds = true;
                   },
                   [&](const ModelTrained &trained) {
                       if (trained.round > 0) roundOf(state, roundsBefore + trained.round).training = trained.report;
                       digest.rounds = true;
                   },
                   [&](const TrialProgress &progress) {
                       status.measuring = progress.stage == TrialStage::Built ? -1 : progress.number - 1;
                       status.building = progress.stage == TrialStage::Building;
                       status.measuringSince = QDateTime::currentDateTime();
                   },
                   [&](const TrialFinished &finished) {
                       TrialEntry entry;
                       entry.trial = finished.trial;
                       entry.sketch = finished.sketch;
                       entry.round = roundsBefore + finished.round;
                       entry.generation = finished.lineage.generation;
                       entry.mutation = qt(finished.lineage.mutation);
                       entry.predicted = finished.predicted;
                       entry.ancestry = finished.ancestry;
                       entry.elapsed = state.searchedBefore + finished.elapsed;
                       entry.gflops = finished.gflops;
                       entry.logPath = m_search->order().logPath;
                       entry.logRecord = m_search->firstRecord() + finished.number - 1 -
                                         static_cast<int>(m_search->order().resumed.size());
                       entry.recordName = qt(recordName(makeRecord(*m_search->order().task, finished.trial)));
                       entry.layoutRewrite = static_cast<int>(m_search->order().task->layoutRewrite);
                       status.done = finished.number;
                       status.elapsed = finished.elapsed;
                       status.measuring = -1;
                       if (status.state == SearchState::Pausing) status.state = SearchState::Paused;
                       digest.trials.push_back(std::move(entry));
                   },
                   [&](const RoundFinished &finished) {
                       RoundInfo &round = roundOf(state, roundsBefore + finished.round);
                       round.trialsSoFar = finished.trials;
                       round.bestSeconds = finished.bestSeconds;
                       round.elapsed = state.searchedBefore + finished.elapsed;
                       status.elapsed = finished.elapsed;
                       digest.rounds = true;
                   },
                   [&](const FinalistsCompared &compared) { digest.compared = compared; },
                   [&](const SearchNote &note) { m_messages.note(asSentence(qt(note.sentence))); },
               },
               *search);
}

void Session::endSearch(TaskState &state, const SearchEnded &end) {
    m_search.reset();
    m_drain.stop();
    m_searchTask = 0;
    SearchStatus &status = state.search;
    const bool failed = !end.problem.empty();
    status.state = failed ? SearchState::Failed : SearchState::Finished;
    status.measuring = -1;
    status.phase.clear();
    const int failures = static_cast<int>(std::count_if(state.trials.begin(), state.trials.end(),
                                                        [](const TrialEntry &entry) { return !entry.valid(); }));
    if (failed) {
        status.ended = qt(end.problem);
        m_messages.fail(QStringLiteral("The search of %1 failed").arg(state.name), qt(end.problem), kSearchKind);
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
        status.ended = QStringLiteral("%1 measured, %2 failed")
                           .arg(trialCountText(static_cast<size_t>(status.total)))
                           .arg(failures);
    }
    updateBest(state);
    Q_EMIT searchChanged();
    if (!isShown(state)) {
        m_messages.note(QStringLiteral("The search of %1 has ended: %2").arg(taskTitle(state), status.ended));
        return;
    }
    if (state.best >= 0 && m_selection.now().schedule.kind == ScheduleRef::Kind::Naive)
        m_selection.selectSchedule({ScheduleRef::Kind::Trial, state.best});
}

} // namespace loopscope
