#pragma once
// How the process that runs a kernel tells what happened, even when it dies: a block of memory shared with the runner.
// A kernel that scribbles over memory may hit it, so the runner believes nothing in it that is out of range.

#include "codegen/runtime/runner.h"
#include "measure/trial.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace loopscope {

enum class RunPhase : int32_t { Starting, Loading, Checking, Timing, Finished };

struct RunReport {
    static constexpr size_t kReasonBytes = 1000;
    static constexpr size_t kMaxSamples = 256; // per kernel

    volatile RunPhase phase;
    volatile int32_t kernel; // the one at work
    TrialError error;        // with Finished
    char reason[kReasonBytes];
    double maxError;
    double disturbedSeconds; // spent on samples that others disturbed
    uint8_t unstable;        // 0: no; a kernel may have written anything, so it is no bool
    // Of a fatal signal:
    volatile int32_t signal;
    volatile uintptr_t address; // or, of SIGSYS, the number of the call
    volatile int32_t guard;     // index among the guards being watched; -1 = none of them

    void fail(TrialError kind, std::string_view sentence);
    [[nodiscard]] size_t sampleCount(size_t kernelIndex) const;
    [[nodiscard]] std::span<const double> samples(size_t kernelIndex) const;
    void addSample(size_t kernelIndex, double seconds);
    [[nodiscard]] double least(size_t kernelIndex) const; // TurnSamples::least
    void setLeast(size_t kernelIndex, double seconds);

    /// In memory shared between a process and its forks, zeroed; release lets go of it.
    static RunReport *make(size_t kernelCount);
    /// `kernelCount` as it was made: what is in it a kernel may have overwritten.
    static void release(RunReport *report, size_t kernelCount);
};

/// From here on a fatal signal of this process is noted in `report` before it ends it. `guards` may be changed later by
/// watchGuards; both must stay alive.
void reportSignals(RunReport &report);
void watchGuards(std::span<const GuardRange> guards);

} // namespace loopscope
