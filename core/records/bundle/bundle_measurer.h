#pragma once
// Measures through bundles: every round of candidates becomes a folder, and its trials are read from the results that
// somebody, or a command, brings there. What a search has written and what has come back stays in its folder, so that
// it can be ended and continued at any time.

#include "measure/measurer.h"
#include "records/bundle/bundle_folder.h"

#include <functional>
#include <memory>
#include <string>

namespace loopscope {

struct BundleMeasurerOptions {
    std::string folder;
    std::string command; // that has a round run, `{}` being its folder; empty: somebody does
    uint64_t seed = 0;   // of the inputs
    int threads = 0;     // that compute the reference; 0: as many as cores
    bool wait = true;    // for results; false: rounds are written, and trials are what is there already
    std::function<void(const std::string &sentence)> say = {}; // what is waited for
    /// The same as it is, when it begins, whenever results came, and when it is over.
    std::function<void(const BundleRound &round)> waits = {};
};

class BundleMeasurer final : public Measurer {
  public:
    BundleMeasurer(const Task &task, BundleMeasurerOptions options);

    /// Computes what answers are compared with, unless an earlier round of the folder says it.
    bool prepare(const std::atomic<bool> *cancel) override;
    void measure(const std::vector<Steps> &candidates,
                 const std::function<void(size_t index, const Trial &trial)> &onTrial,
                 const MeasureWatch &watch) override;
    std::vector<TurnSamples> measureInterleaved(const std::vector<Steps> &candidates, int rounds,
                                                const MeasureWatch &watch) override;

    /// Waits for the results of rounds of the task that an earlier search began; `onTrial` has all of their trials, old
    /// and new. Comparisons are left out.
    void finishRounds(const std::function<void(const Trial &trial)> &onTrial, const MeasureWatch &watch);

    [[nodiscard]] std::string machine() const override { return m_machine; }
    /// The folder of the round that was written last; empty: none was.
    [[nodiscard]] const std::string &lastRound() const { return m_lastRound; }

  private:
    BundleRound written(const std::vector<Steps> &candidates, int turns);
    /// Hands over each trial in its turn as soon as it is there, none during a pause; ends early when cancelled. Throws
    /// Error when the command ended and left candidates without a result.
    void await(BundleRound &round, const std::function<void(size_t, const Trial &)> &onTrial,
               const MeasureWatch &watch);
    void say(const std::string &sentence) const;

    Task m_task;
    BundleMeasurerOptions m_options;
    std::string m_answer; // text of expectedAnswer; empty until it is known
    std::string m_machine;
    std::string m_lastRound;
};

} // namespace loopscope
