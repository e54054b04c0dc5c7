#include "views/session/search_thread.h"

#include "bundle/bundle_measurer.h"
#include "cost/cost_model.h"
#include "record/record_writer.h"
#include "search/locks/locked_start.h"
#include "search/naive_schedule.h"
#include "search/scheduler.h"
#include "search/target_rules.h"
#include "views/session/measuring.h"
#include "views/session/memory.h"
#include "views/session/open_fleet.h"
#include "views/session/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <set>
#include <utility>

namespace loopscope {

class SearchThread::Observer final : public SearchObserver {
  public:
    Observer(SearchThread &thread, RecordWriter &writer) : m_thread(thread), m_writer(writer) {}
    void on(const SearchEvent &event) override {
        if (const auto *finished = std::get_if<TrialFinished>(&event))
            m_writer.append(m_thread.recordOf(finished->trial));
        m_thread.tell(event);
    }

  private:
    SearchThread &m_thread;
    RecordWriter &m_writer;
};

SearchThread::SearchThread(SearchOrder order) : m_order(std::move(order)) {
    m_thread = std::thread([this] { run(); });
}

SearchThread::~SearchThread() {
    m_control.cancel();
    m_thread.join();
}

void SearchThread::run() {
    SearchEnded end;
    try {
        withinMemory(QStringLiteral("the search of %1").arg(m_order.name), *m_order.task, [&] { search(end); });
    } catch (const std::exception &error) {
        end.problem = error.what();
        if (end.problem.empty()) end.problem = "the search failed without a reason";
    }
    endFleet(m_fleet, m_control);
    returnFreedMemory(); // populations, the model's samples: many times what the trials keep
    end.cancelled = end.cancelled || m_control.cancelled();
    tell(end);
    m_ended = true;
}

/// What the log held when the search before this one ended, and does no more.
bool SearchThread::writeAgain(RecordWriter &writer) {
    int written = 0;
    for (size_t i = 0; i < m_order.resumed.size(); ++i) {
        if (m_order.resumedRecords[i] < 0) continue;
        writer.append(makeRecord(*m_order.task, m_order.resumed[i]));
        m_order.resumedRecords[i] = written++;
    }
    if (written > 0)
        tell(LogMended{fmt::format("the log was deleted or emptied since; {} {} written again from memory: {}",
                                   std8(countedText(static_cast<size_t>(written), "record")),
                                   written == 1 ? "is" : "are", std8(m_order.logPath))});
    return written > 0;
}

bool SearchThread::measurePeaks() {
    const MeasureOn on = measuredOn(m_order.setup, m_order.task->target);
    const bool elsewhere = on == MeasureOn::Bundle || on == MeasureOn::Fleet;
    if (!m_order.measurePeaks || m_order.task->target.isGpu() || elsewhere) return true;
    tell(PeaksBegun{});
    const auto measured = m_order.measurePeaks(m_order.task->target, &m_control.cancelledFlag());
    if (m_control.cancelled()) return false;
    if (measured)
        tell(PeaksMeasured{std::make_shared<const MachinePeaks>(*measured), {}});
    else
        tell(PeaksMeasured{nullptr, qt(measured.why())});
    return true;
}

std::unique_ptr<Measurer> SearchThread::makeMeasurer() {
    const Task &task = *m_order.task;
    const SearchSetup &setup = m_order.setup;
    MeasureOptions options = measureOptionsOf(setup, task.target, m_order.weightBytes);
    options.buildWorkers = setup.options.threads;
    const MeasureOn on = measuredOn(setup, task.target);
    if (on == MeasureOn::Fleet) {
        m_fleet = openFleet(setup.nodes, task.target, options, m_control,
                            [this](const std::string &sentence) { tell(FleetTold{sentence}); });
        if (!m_fleet) return nullptr;
        tell(FleetOpened{m_fleet});
        return makeFleetMeasurer(m_fleet, task);
    }
    if (on != MeasureOn::Bundle) return m_order.makeMeasurer(task, options);
    BundleMeasurerOptions bundles;
    bundles.folder = std8(setup.bundleFolder);
    bundles.seed = options.seed;
    bundles.threads = options.buildWorkers;
    bundles.waits = [this](const BundleRound &round) {
        tell(BundleAwaited{{qt(round.path), runCommand(qt(round.path)), static_cast<int>(round.open()),
                            QDateTime::currentDateTime()}});
    };
    auto made = std::make_unique<BundleMeasurer>(task, std::move(bundles));
    m_bundles = made.get();
    return made;
}

/// With the machine it was measured on, which is told before the trial is.
Record SearchThread::recordOf(const Trial &trial) {
    Record record = makeRecord(*m_order.task, trial);
    if (m_bundles != nullptr) record.machine = m_bundles->machine();
    if (std::exchange(m_machine, record.machine) != record.machine) tell(MachineTold{m_machine});
    return record;
}

/// Rounds of earlier searches: what they brought, or bring now, becomes trials of the log that this one goes on from.
void SearchThread::takeRounds(RecordWriter &writer, size_t records) {
    // What could not be lowered has the time at which somebody noticed.
    const auto identity = [](const Record &record) {
        return std::pair(recordHash(record),
                         record.trial.error == TrialError::Instantiation ? int64_t{0} : record.trial.timestamp);
    };
    std::set<std::pair<uint64_t, int64_t>> known;
    for (const Trial &trial : m_goesOnFrom) known.insert(identity(makeRecord(*m_order.task, trial)));
    MeasureWatch watch;
    watch.cancel = &m_control.cancelledFlag();
    watch.pause = &m_control.pausedFlag();
    m_bundles->finishRounds(
        [&](const Trial &trial) {
            const Record record = recordOf(trial);
            if (!known.insert(identity(record)).second) return;
            writer.append(record);
            m_goesOnFrom.push_back(trial);
            tell(TrialBrought{trial, static_cast<int>(records++)});
        },
        watch);
}

void SearchThread::search(SearchEnded &end) {
    const Task &task = *m_order.task;
    const SearchSetup &setup = m_order.setup;
    // Before anything slow.
    if (const auto nothing = whatLocksLeave(task, setup.options, m_order.startFrom)) throw Error(nothing->sentence);
    const auto writer = writerWhenFree(
        std8(m_order.logPath), [this](const std::string &sentence) { tell(LogMended{sentence}); },
        m_control.cancelledFlag());
    if (!writer) {
        end.cancelled = true;
        return;
    }
    size_t records = countRecords(std8(m_order.logPath));
    if (records == 0 && writeAgain(*writer)) records = countRecords(std8(m_order.logPath));
    m_firstRecord = static_cast<int>(records);

    if (!measurePeaks()) {
        end.cancelled = true;
        return;
    }
    tell(SearchEvent(PhaseStarted{SearchPhase::PreparingReference, 0, "the answer every kernel is checked against"}));
    const auto measurer = makeMeasurer();
    if (!measurer || !measurer->prepare(&m_control.cancelledFlag())) {
        end.cancelled = true;
        return;
    }
    m_goesOnFrom = m_order.resumed;
    if (m_bundles != nullptr) takeRounds(*writer, records);
    if (m_control.cancelled()) {
        end.cancelled = true;
        return;
    }
    double naiveSeconds = m_order.naiveSeconds;
    if (naiveSeconds < 0 && whyUntimed(setup, task.target).isEmpty()) {
        tell(SearchEvent(PhaseStarted{SearchPhase::Measuring, 0, "the naive schedule, to compare with"}));
        NaiveMeasured naive;
        MeasureWatch watch;
        watch.cancel = &m_control.cancelledFlag();
        watch.pause = &m_control.pausedFlag();
        measurer->measure(
            {naiveSteps(task)},
            [&](size_t, const Trial &trial) {
                naive.seconds = trial.valid() ? trial.cost() : -1;
                naive.reason = trial.reason;
            },
            watch);
        if (m_control.cancelled()) {
            end.cancelled = true;
            return;
        }
        tell(naive);
        naiveSeconds = naive.seconds;
    }

    std::unique_ptr<CostModel> model;
    if (setup.options.randomModel) {
        model = makeRandomModel(setup.options.seed);
    } else {
        XgboostOptions xgboost;
        xgboost.seed = setup.options.seed + 43;
        model = makeXgboostModel(xgboost);
    }
    Observer observer(*this, *writer);
    SearchOptions options = setup.options;
    options.naiveSeconds = std::max(0.0, naiveSeconds);
    SearchScheduler scheduler(options, *measurer, *model, m_goesOnFrom);
    scheduler.startFrom(m_order.startFrom);
    (void)scheduler.schedule(task, observer, &m_control); // that there is no valid kernel the trials say
    const SearchResult &result = scheduler.result();
    end.cancelled = result.cancelled && m_control.cancelled();
    if (!result.best || !result.bestTime.known()) return;
    const size_t resumed = m_goesOnFrom.size();
    const auto nameOf = [&](int trial) {
        const auto at = static_cast<size_t>(trial);
        if (at < m_order.resumedNames.size() && !m_order.resumedNames[at].empty()) return m_order.resumedNames[at];
        return recordName(makeRecord(task, at < resumed ? m_goesOnFrom[at] : result.trials[at - resumed]));
    };
    const size_t winner = *result.best + (result.bestIsResumed ? 0 : resumed);
    const auto next = runnerUp(result.compared, static_cast<int>(winner), nameOf);
    if (!result.bestIsResumed) {
        writer->appendVerdict(makeRecord(task, result.trials[*result.best]), result.bestTime, next);
        return;
    }
    if (*result.best >= m_order.resumed.size()) { // brought by a round of an earlier search
        writer->appendVerdict(nameOf(static_cast<int>(winner)), result.bestTime, next);
        return;
    }
    const int record = m_order.resumedRecords[*result.best];
    if (record >= 0 && static_cast<size_t>(record) < records)
        writer->appendVerdict(nameOf(static_cast<int>(winner)), result.bestTime, next);
}

} // namespace loopscope
