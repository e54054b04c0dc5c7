#pragma once
// Builds candidates in isolated children, runs them one after the other, checks every answer against the reference, and
// times them. Nothing compiles while something is timed.

#include "base/outcome.h"
#include "language/task/task.h"
#include "measure/runner_kind.h"
#include "measure/timing/sampling.h"
#include "measure/timing/time_interval.h"
#include "measure/trial.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace loopscope {

struct MeasureOptions {
    std::string workerPath;        // empty: `loopscope-worker` beside the running program, or LOOPSCOPE_WORKER
    int buildWorkers = 0;          // 0: as many as cores
    double buildTimeout = 15;      // seconds per candidate
    double runTimeout = 10;        // seconds per candidate, checking and timing together
    double referenceTimeout = 600; // seconds for inputs and reference: far more than what is worth searching needs
    int64_t memoryLimitMiB = 4096; // address space of a child beyond its start
    SamplingOptions sampling;      // when to stop timing
    uint64_t seed = 0;             // of the inputs
    int kernelThreads = 0;         // 0: the target's cores
    RunnerKind runner = RunnerKind::Machine;
    int64_t sampleBlocks = 0; // Executor: of a kernel, evenly spread; 0: what takes about two seconds
    std::string fault;        // tests only: see measure/fault.h
};

/// Inputs and reference were not there within MeasureOptions::referenceTimeout.
class ReferenceTimeout final : public Error {
  public:
    using Error::Error;
};

/// Where a trial is; it ends with its callback.
enum class TrialStage : uint8_t {
    Building,
    Built, // and waiting until the others are, when it built
    Running,
    Ran, // its result may wait for others', or for another try
};

/// How a measurement is followed and steered from outside.
struct MeasureWatch {
    const std::atomic<bool> *cancel = nullptr; // what is under way ends at once
    const std::atomic<bool> *pause = nullptr;  // no build and no run is begun while it is true
    std::function<void(size_t index, TrialStage stage)> onStage = nullptr;

    [[nodiscard]] bool cancelled() const { return cancel && *cancel; }
    [[nodiscard]] bool paused() const { return pause && *pause; }
};

/// What is measured through; the search knows only this, so that tests can script the answers.
class Measurer {
  public:
    virtual ~Measurer() = default;
    /// Makes inputs and reference, which otherwise the first measurement does. False when cancelled. Throws Error when
    /// they cannot be had, ReferenceTimeout when they take too long; so do the measurements.
    virtual bool prepare(const std::atomic<bool> * /*cancel*/ = nullptr) { return true; }
    /// False: answers are checked, and that is all.
    [[nodiscard]] virtual bool times() const { return true; }
    /// Calls of measure that may be under way at a time, each on a thread of its own, without one disturbing the times
    /// of another.
    [[nodiscard]] virtual int measurementsAtOnce() const { return 1; }
    /// After prepare: what a user should know about how kernels are run here, a sentence each.
    [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }
    /// Where the trial was measured that was handed over last; empty: here, or it was not.
    [[nodiscard]] virtual std::string machine() const { return {}; }
    /// Builds, checks and times every candidate; `onTrial(index, trial)` as each ends, in index order. Trials not run
    /// because of a cancel are left out of the callback.
    virtual void measure(const std::vector<Steps> &candidates,
                         const std::function<void(size_t index, const Trial &trial)> &onTrial,
                         const MeasureWatch &watch = {}) = 0;
    /// Times the given candidates interleaved, round after round, in one process; what comes back at i are the samples
    /// of i (none when it failed): those that nobody disturbed where all have enough of them (comparableSamples). One
    /// that is far slower than the others has few (samplesInTurn). Where nothing is timed (RunnerKind::Executor) none
    /// has any.
    virtual std::vector<TurnSamples> measureInterleaved(const std::vector<Steps> &candidates, int rounds,
                                                        const MeasureWatch &watch = {}) = 0;
};

/// Steps empty = the naive schedule. Throws Error when the worker program cannot be started.
std::unique_ptr<Measurer> makeWorkerMeasurer(const Task &task, const MeasureOptions &options);

} // namespace loopscope
