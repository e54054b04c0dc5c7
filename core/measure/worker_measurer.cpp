#include "measure/timing/machine_use.h"
#include "measure/timing/sampling.h"
#include "measure/worker_pool.h"

#include "base/outcome.h"
#include "language/target/detected_gpu.h"
#include "schedule/steps_json.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fmt/format.h>
#include <map>
#include <thread>

namespace loopscope {

namespace {

constexpr size_t kChunk = 16; // candidates built before they are run; a multiple of most machines' build workers
constexpr int kMaxRounds = 256;

/// False when cancelled.
bool waitWhilePaused(const MeasureWatch &watch) {
    constexpr auto kLook = std::chrono::milliseconds(20);
    while (watch.paused() && !watch.cancelled()) std::this_thread::sleep_for(kLook);
    return !watch.cancelled();
}

/// Of kernels that run on a newer GPU than they are made for; empty: of no others.
std::string newerGpuNote(const Target &target, RunnerKind runner) {
    if (!target.isGpu() || runner != RunnerKind::Machine) return {};
    const Outcome<DetectedGpu> gpu = gpuThatRuns(target);
    const auto arch = target.attrs.find("arch");
    if (!gpu || arch == target.attrs.end() || arch->second == gpu->arch) return {};
    return fmt::format("kernels of {} are timed on the {}, which is {}", arch->second, gpu->name, gpu->arch);
}

class WorkerMeasurer final : public Measurer {
  public:
    WorkerMeasurer(std::shared_ptr<WorkerPool> pool, const Task &task)
        : m_pool(std::move(pool)), m_options(m_pool->options()), m_builds(m_pool->builds()), m_runs(m_pool->runs()),
          m_faults(parseFaults(m_options.fault)), m_task(m_pool->add(task)),
          m_gpuNote(newerGpuNote(task.target, m_options.runner)), m_retries(m_options.sampling) {}

    bool prepare(const std::atomic<bool> *cancel) override { return m_runs.prepare(m_task, cancel); }

    [[nodiscard]] bool times() const override { return m_options.runner == RunnerKind::Machine; }

    [[nodiscard]] std::vector<std::string> notes() const override {
        std::vector<std::string> notes;
        if (!m_runs.note().empty()) notes.push_back(m_runs.note());
        if (!m_gpuNote.empty()) notes.push_back(m_gpuNote);
        if (const std::string problem = machineLockProblem(); !problem.empty())
            notes.push_back(
                fmt::format("other programs of Loopscope are not waited for while kernels are timed: {}; set "
                            "LOOPSCOPE_LOCK_FOLDER to a folder that can be written",
                            problem));
        return notes;
    }

    void measure(const std::vector<Steps> &candidates,
                 const std::function<void(size_t index, const Trial &trial)> &onTrial,
                 const MeasureWatch &watch) override {
        if (candidates.empty()) return;
        const size_t chunk = std::max(kChunk, m_builds.workers());
        size_t told = 0; // trials that were handed over
        for (size_t first = 0; first < candidates.size(); first += chunk) {
            const size_t end = std::min(first + chunk, candidates.size());
            MeasureWatch chunkWatch = watch;
            if (watch.onStage)
                chunkWatch.onStage = [&](size_t index, TrialStage stage) { watch.onStage(first + index, stage); };
            const auto built = m_builds.build(buildRequests(candidates, first, end), chunkWatch);
            // From the first unstable one on trials are held back until all of the chunk are measured: then the
            // unstable ones have another try, when what disturbed them may be over.
            std::vector<Trial> held;
            bool goesOn = true;
            for (size_t i = first; i < end && goesOn; ++i) {
                std::optional<Trial> trial;
                if (built[i - first]) trial = finish(i, candidates[i], *built[i - first], watch);
                goesOn = trial.has_value();
                if (!goesOn) break;
                if (held.empty() && !triedAgain(*trial)) {
                    onTrial(i, *trial);
                    ++told;
                } else {
                    held.push_back(std::move(*trial));
                }
            }
            for (Trial &trial : held) {
                const size_t index = told++;
                if (goesOn && triedAgain(trial) && m_retries.secondTry()) {
                    std::optional<Trial> again = finish(index, trial.steps.unpack(), *built[index - first], watch);
                    goesOn = again.has_value();
                    if (again) m_retries.secondTryEnded(again->runSeconds);
                    if (again && (!again->valid() || !again->unstable || again->cost() < trial.cost()))
                        trial = std::move(*again);
                }
                onTrial(index, trial);
            }
            if (!goesOn) return;
        }
    }

    std::vector<TurnSamples> measureInterleaved(const std::vector<Steps> &candidates, int rounds,
                                                const MeasureWatch &watch) override {
        std::vector<TurnSamples> turns(candidates.size());
        if (!times()) return turns;
        auto built = m_builds.build(buildRequests(candidates, 0, candidates.size()), watch);
        std::vector<size_t> alive;
        for (size_t i = 0; i < built.size(); ++i) {
            if (built[i] && built[i]->error == TrialError::None) alive.push_back(i);
        }
        // One that fails takes the others' times with it, so they are run again without it.
        while (!alive.empty()) {
            RunRequest request = runRequest();
            request.rounds = std::clamp(rounds, 1, kMaxRounds);
            request.timeout = m_options.runTimeout * static_cast<double>(alive.size());
            for (const size_t i : alive) request.kernels.push_back(built[i]->kernel);
            if (!waitWhilePaused(watch)) break;
            if (watch.onStage)
                for (const size_t i : alive) watch.onStage(i, TrialStage::Running);
            const std::optional<RunReply> reply = m_runs.run(request, watch.cancel);
            if (!reply) break;
            if (reply->error == TrialError::None) {
                for (size_t k = 0; k < alive.size(); ++k) turns[alive[k]] = {reply->samples[k], reply->least[k]};
                break;
            }
            const auto failed = static_cast<size_t>(std::max(reply->failedKernel, 0));
            alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(std::min(failed, alive.size() - 1)));
        }
        return turns;
    }

  private:
    [[nodiscard]] Fault faultOf(size_t index) const {
        const auto found = m_faults.find(index);
        return found == m_faults.end() ? Fault::None : found->second;
    }

    [[nodiscard]] std::vector<BuildRequest> buildRequests(const std::vector<Steps> &candidates, size_t first,
                                                          size_t end) const {
        std::vector<BuildRequest> requests;
        for (size_t i = first; i < end; ++i) requests.push_back({m_task, stepsText(candidates[i]), faultOf(i)});
        return requests;
    }

    [[nodiscard]] RunRequest runRequest() const {
        RunRequest request;
        request.task = m_task;
        request.timeout = m_options.runTimeout;
        request.sampling = m_options.sampling;
        return request;
    }

    /// Unless a number of samples was asked for: then they are what was wanted.
    [[nodiscard]] bool triedAgain(const Trial &trial) const {
        return trial.valid() && trial.unstable && m_options.sampling.maxSamples == 0;
    }

    /// Nothing when cancelled.
    std::optional<Trial> finish(size_t index, const Steps &steps, const BuildReply &built, const MeasureWatch &watch) {
        Trial trial;
        trial.steps = steps;
        trial.buildSeconds = built.seconds;
        trial.error = built.error;
        trial.reason = built.reason;
        if (trial.valid()) {
            if (!waitWhilePaused(watch)) return std::nullopt;
            if (watch.onStage) watch.onStage(index, TrialStage::Running);
            RunRequest request = runRequest();
            request.kernels = {built.kernel};
            request.sampling.bestKnownSeconds = m_bestSeconds;
            request.sampling.disturbedSeconds = m_retries.forTrial();
            request.fault = faultOf(index);
            std::optional<RunReply> reply = m_runs.run(request, watch.cancel);
            if (!reply) return std::nullopt;
            if (watch.onStage) watch.onStage(index, TrialStage::Ran);
            trial.error = reply->error;
            trial.reason = std::move(reply->reason);
            trial.unstable = reply->unstable;
            trial.maxError = reply->maxError;
            trial.runSeconds = reply->seconds;
            m_retries.trialEnded(reply->disturbedSeconds);
            if (trial.valid()) trial.seconds = std::move(reply->samples.at(0));
            trial.weightBytes = request.sampling.weightBytes;
        }
        trial.timestamp = static_cast<int64_t>(std::time(nullptr));
        if (trial.valid() && !trial.seconds.empty() && (m_bestSeconds == 0 || trial.cost() < m_bestSeconds))
            m_bestSeconds = trial.cost();
        return trial;
    }

    std::shared_ptr<WorkerPool> m_pool;
    const MeasureOptions &m_options;
    BuildPool &m_builds;
    RunClient &m_runs;
    std::map<size_t, Fault> m_faults;
    int m_task; // its number in the pool
    std::string m_gpuNote;
    double m_bestSeconds = 0; // of all trials so far
    RetryBudget m_retries;
};

} // namespace

std::unique_ptr<Measurer> makeWorkerMeasurer(const Task &task, const MeasureOptions &options) {
    return makePoolMeasurer(std::make_shared<WorkerPool>(options), task);
}

std::unique_ptr<Measurer> makePoolMeasurer(std::shared_ptr<WorkerPool> pool, const Task &task) {
    return std::make_unique<WorkerMeasurer>(std::move(pool), task);
}

} // namespace loopscope
