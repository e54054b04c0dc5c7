#pragma once
// Several ways to compute one workload, timed in turn: round after round each runs for a while, so that whatever else
// the machine does hits all alike. Every way's answer is compared with the reference before it is timed. Schedules run
// here, libraries in processes of their own: one that dies, before or during the rounds, is left out with its reason.

#include "base/outcome.h"
#include "language/task/task.h"
#include "schedule/loop_state.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace loopscope {

struct TimedWay {
    std::string name;           // "loopscope", "naive", "onednn"
    std::string implementation; // what it runs: "record 12", "jit:avx2"
    std::string refusal;        // why it cannot take part; empty = it does
    double restSeconds = 0;     // to let pass after it has run
    /// Seconds of so many calls, after one that is not timed. The refusal says why it can go on no longer.
    std::function<Outcome<double>(int64_t calls)> time;
    double maxError = 0;         // over the tolerance
    std::vector<double> seconds; // per call, one a round
    [[nodiscard]] double median() const;
};

class InterleavedTiming {
  public:
    InterleavedTiming(const Task &task, uint64_t seed);
    ~InterleavedTiming();
    InterleavedTiming(const InterleavedTiming &) = delete;
    InterleavedTiming &operator=(const InterleavedTiming &) = delete;

    /// The schedule as machine code in this process; throws Error when it cannot be built.
    void addSchedule(const std::string &name, const std::string &implementation, const LoopState &state,
                     int layoutRewrite);
    /// "openblas", "onednn" or "blis".
    void addBaseline(const std::string &name);
    /// Checks all, then times them.
    void run(int rounds);
    [[nodiscard]] const std::vector<TimedWay> &ways() const { return m_ways; }

  private:
    struct Impl;
    void check(size_t index);
    const Task &m_task;
    std::unique_ptr<Impl> m_impl;
    std::vector<TimedWay> m_ways;
};

} // namespace loopscope
