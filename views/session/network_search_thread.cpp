#include "views/session/network_search_thread.h"

#include "measure/timing/machine_peaks.h"
#include "views/session/memory.h"
#include "views/session/open_fleet.h"
#include "views/session/text.h"

#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace loopscope {

NetworkSearch searchOfTasks(const NetworkKernels &kernels, const std::optional<MachinePeaks> &peaks, const QString &log,
                            std::vector<std::string> &notes) {
    NetworkSearch search;
    auto tasks = searchedTasks(kernels.tasks, parseTarget("llvm"), peaks);
    if (!tasks) throw Error(tasks.why());
    search.tasks = std::move(tasks).value();
    search.resumed.resize(search.tasks.size());
    search.groups = searchedGroups(kernels.alternatives, search.tasks);
    search.weightBytes = weightBytesOf(*kernels.function);
    if (log.isEmpty() || !QFileInfo::exists(log)) return search;
    const RecordLog read = loadRecordLog(std8(log));
    if (!read.skipped.empty())
        notes.push_back(std8(QStringLiteral("%1: %2 skipped, the first as %3")
                                 .arg(log, countedText(read.skipped.size(), "line"), qt(read.skipped.front().reason))));
    // A log goes on as it began: times of both kinds do not compare.
    if (timedInNetwork(search, read) == false) search.weightBytes = 0;
    for (std::string &note : resumeTasks(search, read)) notes.push_back(std::move(note));
    return search;
}

std::vector<NetworkTaskProgress> tunedTasks(const NetworkSearch &search, const QString &log) {
    std::vector<NetworkTaskProgress> tuned;
    for (size_t i = 0; i < search.tasks.size(); ++i) {
        const SearchedTask &task = search.tasks[i];
        const std::vector<Trial> &trials = search.resumed[i].trials;
        NetworkTaskProgress one;
        one.number = task.number;
        one.key = task.task.key;
        one.name = qt(task.name);
        one.weight = task.weight;
        one.flops = task.task.dag->flops();
        one.floorSeconds = task.floorSeconds;
        one.known = static_cast<int>(trials.size());
        for (const Trial &trial : trials)
            if (trial.valid() && (one.best <= 0 || trial.cost() < one.best)) one.best = trial.cost();
        if (one.best <= 0)
            one.whyNone =
                log.isEmpty() ? QStringLiteral("no log was looked at")
                : trials.empty()
                    ? QStringLiteral("the log has no record of it that was measured on this machine")
                    : QStringLiteral("none of its %1 in the log is valid").arg(countedText(trials.size(), "trial"));
        tuned.push_back(std::move(one));
    }
    return tuned;
}

NetworkSearchThread::NetworkSearchThread(NetworkSearchOrder order) : m_order(std::move(order)) {
    m_thread = std::thread([this] { run(); });
}

NetworkSearchThread::~NetworkSearchThread() {
    m_control.cancel();
    m_thread.join();
}

void NetworkSearchThread::steer(const std::string &key, const TaskSteering &steering) {
    const std::lock_guard lock(m_steering);
    m_order.steering[key] = steering;
    steerAll(key, steering);
}

void NetworkSearchThread::steerAll(const std::string &key, const TaskSteering &steering) {
    const auto [first, last] = m_numbers.equal_range(key);
    for (auto found = first; found != last; ++found) m_control.steer(found->second, steering);
}

void NetworkSearchThread::run() {
    SearchEnded end;
    try {
        search();
    } catch (const std::bad_alloc &) {
        end.problem = std8(outOfMemoryText(QStringLiteral("the search of %1").arg(m_order.name)));
    } catch (const std::exception &error) {
        end.problem = error.what();
        if (end.problem.empty()) end.problem = "the search failed without a reason";
    }
    endFleet(m_fleet, m_control);
    returnFreedMemory();
    end.cancelled = m_control.cancelled();
    m_events.put(end);
}

std::optional<NetworkSearchOptions> NetworkSearchThread::options(int64_t weightBytes) {
    NetworkSearchOptions options;
    options.trials = m_order.setup.trials;
    options.trialsPerRound = m_order.setup.trialsPerRound;
    options.timeLimitSeconds = m_order.setup.timeLimitSeconds;
    options.order = std8(m_order.setup.order);
    if (m_order.setup.onNodes) {
        MeasureOptions measure;
        measure.sampling.weightBytes = weightBytes;
        m_fleet = openFleet(m_order.setup.nodes, parseTarget("llvm"), measure, m_control,
                            [this](const std::string &sentence) { m_events.put(FleetTold{sentence}); });
        if (!m_fleet) return std::nullopt;
        m_events.put(FleetOpened{m_fleet});
        options.makeMeasurer = [this](const SearchedTask &task) {
            // By its number in the table, where names of several are alike.
            return makeFleetMeasurer(m_fleet, task.task, "task " + std::to_string(task.number + 1));
        };
    } else if (m_order.makeMeasurer) {
        options.makeMeasurer = [this](const SearchedTask &task) { return m_order.makeMeasurer(task.task); };
    }
    return options;
}

void NetworkSearchThread::search() {
    const auto log = TrialLog::open(
        std8(m_order.logPath), [this](const std::string &sentence) { m_events.put(LogRewritten{sentence}); },
        &m_control.cancelledFlag());
    if (!log) return;
    std::optional<MachinePeaks> peaks = m_order.peaks;
    if (!peaks && m_order.measurePeaks && !m_order.setup.onNodes) {
        m_events.put(PeaksBegun{});
        const auto measured = m_order.measurePeaks(parseTarget("llvm"), &m_control.cancelledFlag());
        if (m_control.cancelled()) return;
        m_events.put(measured ? PeaksMeasured{std::make_shared<const MachinePeaks>(*measured), {}}
                              : PeaksMeasured{nullptr, qt(measured.why())});
        if (measured) peaks = *measured;
    }
    std::vector<std::string> notes;
    const NetworkSearch search = searchOfTasks(*m_order.kernels, peaks, m_order.logPath, notes);
    for (const std::string &note : notes) m_events.put(SearchNote{note});
    if (search.tasks.empty()) throw Error("no kernel of this network is worth a search");
    m_events.put(TasksKnown{tunedTasks(search, m_order.logPath), search.groups});
    {
        const std::lock_guard lock(m_steering);
        for (size_t i = 0; i < search.tasks.size(); ++i)
            m_numbers.emplace(search.tasks[i].task.key, static_cast<int>(i));
        for (const auto &[key, steering] : m_order.steering) steerAll(key, steering);
    }
    const std::optional<NetworkSearchOptions> options = this->options(search.weightBytes);
    if (!options) return;
    (void)tuneNetwork(search, *options, *log, [this](const SearchEvent &event) { m_events.put(event); }, m_control);
}

} // namespace loopscope
