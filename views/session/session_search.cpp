// Searching and measuring again: orders to the search thread, and what comes back from it.

#include "views/session/session.h"

#include "measure/listing.h"
#include "measure/machine_peaks.h"
#include "record/record_writer.h"
#include "views/session/forms_cache.h"
#include "views/session/log_trials.h"
#include "views/session/search_thread.h"
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
const QString kAgainKind = QStringLiteral("measure again");

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
        return QStringLiteral("all %1 trials are there; continue with more, or raise the number of trials")
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
    order.setup = document.setup;
    order.logPath = document.logPath;
    order.measureNaive = document.naiveSeconds < 0;
    order.makeMeasurer = m_makeMeasurer;
    if (peaks() == nullptr) order.measurePeaks = m_measurePeaks;
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
    if (trials) updateBest(*state);
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
        QString sentence = qt(mended->sentence);
        sentence[0] = sentence[0].toUpper();
        m_messages.warn(sentence);
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
                   [&](const FinalistsCompared &) {}, // SearchEnded says who won
                   [&](const SearchNote &note) { m_messages.note(qt(note.sentence)); },
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
        status.ended = QStringLiteral("stopped after %1 of %2 trials").arg(status.done).arg(status.total);
    } else if (status.done < status.total) {
        status.ended = QStringLiteral("ended after %1 of %2 trials: %3")
                           .arg(status.done)
                           .arg(status.total)
                           .arg(state.setup.options.timeLimitSeconds > 0 &&
                                        status.elapsed >= state.setup.options.timeLimitSeconds * 0.98
                                    ? QStringLiteral("the time budget is used up")
                                    : QStringLiteral("every schedule that could be drawn has been measured"));
    } else {
        status.ended = QStringLiteral("%1 trials measured, %2 failed").arg(status.total).arg(failures);
    }
    updateBest(state, end.best);
    Q_EMIT searchChanged();
    if (!isShown(state)) {
        m_messages.note(QStringLiteral("The search of %1 has ended: %2").arg(taskTitle(state), status.ended));
        return;
    }
    if (state.best >= 0 && m_selection.now().schedule.kind == ScheduleRef::Kind::Naive)
        m_selection.selectSchedule({ScheduleRef::Kind::Trial, state.best});
}

void Session::remeasure(const std::vector<int> &trials) {
    if (!m_current || !m_current->task || trials.empty()) return;
    if (m_search || m_remeasuring || m_peaksJob != 0) {
        m_messages.warn(QStringLiteral("Trials are not measured again while something else is measured: both times "
                                       "would be wrong"),
                        {}, kAgainKind);
        return;
    }
    Document &document = *m_current;
    std::vector<Steps> candidates;
    std::vector<int> numbers;
    int layout = -1;
    for (const int trial : trials) {
        if (trial < 0 || static_cast<size_t>(trial) >= document.trials.size()) continue;
        const TrialEntry &entry = document.trials[static_cast<size_t>(trial)];
        if (layout >= 0 && entry.layoutRewrite != layout) {
            m_messages.warn(
                QStringLiteral("Trial %1 was measured with another layout rewrite than the others and is left out")
                    .arg(trial + 1));
            continue;
        }
        layout = entry.layoutRewrite;
        candidates.push_back(entry.trial.steps);
        numbers.push_back(trial);
    }
    m_messages.succeeded(kAgainKind);
    m_remeasuring = true;
    Q_EMIT searchChanged();
    Task task = *document.task;
    task.layoutRewrite = static_cast<LayoutRewrite>(layout);
    MeasureOptions options;
    options.seed = document.setup.options.seed;
    options.buildTimeout = document.setup.buildTimeout;
    options.runTimeout = document.setup.runTimeout;
    const QString log = document.logPath;
    constexpr int kRounds = 11;
    const auto ended = [this] {
        m_remeasuring = false;
        m_remeasureJob = 0;
        Q_EMIT searchChanged();
    };
    m_remeasureJob = m_jobs.start(
        QStringLiteral("Measuring %1 trials again").arg(candidates.size()), this,
        [task, options, candidates, log, make = m_makeMeasurer](JobControl &control) {
            // Before anything is measured: the log may be in use.
            const auto writer = log.isEmpty() ? nullptr : writerWhenFree(std8(log), {}, control.cancelFlag());
            const auto measurer = make(task, options);
            std::vector<Trial> measured(candidates.size());
            MeasureWatch watch;
            watch.cancel = &control.cancelFlag();
            size_t done = 0;
            measurer->measure(
                candidates,
                [&](size_t index, const Trial &trial) {
                    measured[index] = trial;
                    control.progress(static_cast<double>(++done) / static_cast<double>(candidates.size()) * 0.7);
                },
                watch);
            // Side by side, so that all see the same machine.
            if (candidates.size() > 1 && !control.cancelled()) {
                const auto samples = measurer->measureInterleaved(candidates, kRounds, watch);
                for (size_t i = 0; i < samples.size(); ++i)
                    if (!samples[i].empty() && measured[i].valid()) measured[i].seconds = samples[i];
            }
            if (control.cancelled()) return measured;
            if (writer)
                for (const auto &trial : measured) writer->append(makeRecord(task, trial));
            return measured;
        },
        [this, id = document.taskId, numbers, ended](const std::vector<Trial> &measured) {
            if (TaskState *target = taskOf(id)) takeRemeasured(*target, numbers, measured);
            ended();
        },
        [this, ended](const QString &problem) {
            m_messages.fail(QStringLiteral("Measuring again failed"), problem, kAgainKind);
            ended();
        });
}

void Session::takeRemeasured(TaskState &state, const std::vector<int> &numbers, const std::vector<Trial> &measured) {
    const double flops = state.flops();
    for (size_t i = 0; i < numbers.size(); ++i) {
        if (static_cast<size_t>(numbers[i]) >= state.trials.size()) return; // the trials left meanwhile
        TrialEntry &entry = state.trials[static_cast<size_t>(numbers[i])];
        const bool was = entry.valid();
        if (measured[i].valid() && was) {
            entry.again.push_back(measured[i].seconds);
            entry.trial.maxError = measured[i].maxError;
        } else {
            const Trial before = entry.trial;
            entry.trial = measured[i];
            if (was)
                m_messages.add({Message::Severity::Warning,
                                QStringLiteral("Trial %1 failed when measured again").arg(numbers[i] + 1),
                                qt(measured[i].reason),
                                {},
                                0,
                                0,
                                numbers[i]});
        }
        entry.gflops = entry.valid() && flops > 0 ? flops / entry.seconds() * 1e-9 : 0;
    }
    if (isShown(state)) Q_EMIT trialsChanged(numbers);
    updateBest(state);
}

} // namespace loopscope
