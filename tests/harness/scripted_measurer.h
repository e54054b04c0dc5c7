#pragma once
// Stands in for the machine in tests of the search: every candidate gets a time computed from its steps alone, or a
// failure the test asks for. Nothing is built or run.

#include "measure/measurer.h"

#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace loopscope {

/// A made-up cost in seconds: least where every split's innermost length is near 8 and outermost loops are parallel,
/// so that a model can learn it from features.
double scriptedSeconds(const Steps &steps);

class ScriptedMeasurer final : public Measurer {
  public:
    /// None = the candidate is valid. Default: all are.
    std::function<TrialError(const Steps &)> fault;
    /// Called before each trial, with the number of trials that ended before it.
    std::function<void(size_t ended)> before;

    /// Others disturbed the timing of that candidate; default: of none.
    std::function<bool(const Steps &)> unstable;
    bool timing = true; // false: as if answers were checked alone
    int atOnce = 1;     // calls of measure that may be under way; `before` is called on all of their threads
    [[nodiscard]] int measurementsAtOnce() const override { return atOnce; }
    [[nodiscard]] bool times() const override { return timing; }

    /// Samples of a trial; default: three times the scripted seconds.
    std::function<std::vector<double>(const Steps &)> samples;
    /// Samples of an interleaved measurement; default: the scripted seconds, the same every round.
    std::function<std::vector<double>(const Steps &, int rounds)> interleaved;

    void measure(const std::vector<Steps> &candidates,
                 const std::function<void(size_t index, const Trial &trial)> &onTrial,
                 const MeasureWatch &watch) override;
    std::vector<TurnSamples> measureInterleaved(const std::vector<Steps> &candidates, int rounds,
                                                const MeasureWatch &watch) override;

    std::vector<std::string> measured; // step lists as JSON, in the order in which they ended
    std::vector<size_t> batches;       // sizes of the calls of measure
    std::vector<std::string> compared; // step lists of the calls of measureInterleaved

  private:
    std::mutex m_mutex; // of `measured` and `batches`
};

} // namespace loopscope
