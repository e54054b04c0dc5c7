#include "views/session/search_thread.h"

#include "records/bundle/bundle_measurer.h"
#include "search/locks/locked_start.h"
#include "search/target_rules.h"
#include "views/session/measuring.h"
#include "views/session/memory.h"
#include "views/session/open_fleet.h"
#include "views/session/text.h"
#include "workbench/tuning_run.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace loopscope {

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
        withinMemory(QStringLiteral("the search of %1").arg(m_order.name), *m_order.task, [&] { search(); });
    } catch (const std::exception &error) {
        end.problem = error.what();
        if (end.problem.empty()) end.problem = "the search failed without a reason";
    }
    endFleet(m_fleet, m_control);
    returnFreedMemory(); // populations, the model's samples: many times what the trials keep
    end.cancelled = m_control.cancelled();
    tell(end);
    m_ended = true;
}

/// What the log held when the search before this one ended, and does no more.
void SearchThread::writeAgain(TrialLog &log) {
    ResumedTrials &resumed = m_order.resumed;
    const bool emptied = log.records() == 0;
    for (size_t i = 0; i < resumed.trials.size(); ++i) {
        size_t &number = resumed.numbers[i];
        if (emptied && number != ResumedTrials::kElsewhere) number = log.append(*m_order.task, resumed.trials[i]);
        if (number >= log.records()) number = ResumedTrials::kElsewhere; // it was cut since
    }
    if (emptied && log.records() > 0)
        tell(LogRewritten{fmt::format("the log was deleted or emptied since; {} {} written again from memory: {}",
                                      std8(countedText(log.records(), "record")), log.records() == 1 ? "is" : "are",
                                      log.path())});
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
    return std::make_unique<BundleMeasurer>(task, std::move(bundles));
}

/// Before the trial that was measured on it.
void SearchThread::tellMachine(const Measurer &measurer) {
    const std::string machine = measurer.machine();
    if (std::exchange(m_machine, machine) != machine) tell(MachineTold{machine});
}

void SearchThread::search() {
    const Task &task = *m_order.task;
    const SearchSetup &setup = m_order.setup;
    // Before anything slow.
    if (const auto nothing = whatLocksLeave(task, setup.options, m_order.startFrom)) throw Error(nothing->sentence);
    const auto log = TrialLog::open(
        std8(m_order.logPath), [this](const std::string &sentence) { tell(LogRewritten{sentence}); },
        &m_control.cancelledFlag());
    if (!log) return;
    log->startAt(countRecords(log->path()));
    writeAgain(*log);

    if (!measurePeaks()) return;
    tell(SearchEvent(PhaseStarted{SearchPhase::PreparingReference, 0, "the answer every kernel is checked against"}));
    const auto measurer = makeMeasurer();
    if (!measurer || !measurer->prepare(&m_control.cancelledFlag())) return;
    MeasureWatch watch;
    watch.cancel = &m_control.cancelledFlag();
    watch.pause = &m_control.pausedFlag();
    ResumedTrials &resumed = m_order.resumed;
    takeRounds(*measurer, task, resumed, *log, watch, [&](const Trial &trial, size_t record) {
        tellMachine(*measurer);
        tell(TrialBrought{trial, static_cast<int>(record)});
    });
    if (m_control.cancelled()) return;
    SearchOptions options = setup.options;
    options.naiveSeconds = std::max(0.0, m_order.naiveSeconds);
    if (m_order.naiveSeconds < 0 && whyUntimed(setup, task.target).isEmpty()) {
        tell(SearchEvent(PhaseStarted{SearchPhase::Measuring, 0, "the naive schedule, to compare with"}));
        const Trial naive = measureNaive(*measurer, task, watch);
        if (m_control.cancelled()) return;
        tell(NaiveMeasured{naive.valid() ? naive.cost() : -1, naive.reason});
        if (naive.valid()) options.naiveSeconds = naive.cost();
    }
    m_recordOffset = static_cast<int>(log->records()) - static_cast<int>(resumed.trials.size()) - 1;
    const auto onEvent = [&](const SearchEvent &event) {
        if (std::holds_alternative<TrialFinished>(event)) tellMachine(*measurer);
        tell(event);
    };
    (void)runTuning({{task, {}, options, *measurer, resumed, m_order.startFrom}},
                    {options.timeLimitSeconds, options.spentSeconds, options.threads}, *makeRoundRobinOrder(), *log,
                    onEvent, m_control);
}

} // namespace loopscope
