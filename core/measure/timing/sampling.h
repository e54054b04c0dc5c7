#pragma once
// When to stop timing: sampling goes on until the best three samples agree, which holds up on a machine whose other
// work we do not control better than any fixed count does. Where the system tells for how long it gave the processor to
// others, such a sample does not count, and shorter ones are tried, which fit between the turns of the others; a budget
// keeps a machine that is always busy from making a search many times as long. The policy alone, without a clock, so
// that it can be tested.

#include "measure/timing/time_interval.h"

#include <cstdint>
#include <vector>

namespace loopscope {

/// Handed from whoever asks for a measurement to the process that samples.
struct SamplingOptions {
    double minRepeatSeconds = 0.02; // one sample lasts at least this long
    int minSamples = 3;
    int maxSamples = 0;            // 0 = as many as fit maxTimingSeconds
    double maxTimingSeconds = 0.4; // sampling stops here and says "unstable" when the best samples still disagree
    double agreement = 0.03;       // the best samples must agree within this
    double hopelessFactor = 4;     // see bestKnownSeconds
    // The measurer sets these two anew for each trial.
    /// Best time known so far (0 = none): a candidate `hopelessFactor` times slower is given up after two samples, when
    /// those took long enough.
    double bestKnownSeconds = 0;
    /// What samples that others disturbed may take in all, where no number of samples is asked for.
    double disturbedSeconds = 0.8;
    /// Of a kernel of a network: bytes of weights that are read from one call of it to the next, its own included, so
    /// that these are as far away as that brings them. 0: they lie where the call before left them.
    int64_t weightBytes = 0;
    bool operator==(const SamplingOptions &) const = default;
};

/// The best three of `samples` (both, when there are two) lie within `agreement` of each other.
bool bestAgree(const std::vector<double> &samples, double agreement);
/// What the agreement is about: the median of the best three (of all when there are fewer); +inf when there is none.
/// Other work on the machine only adds time, so the slower samples tell of the machine, not of the kernel.
double agreedSeconds(const std::vector<double> &samples);
/// So little of a sample went to others that its time is the kernel's.
bool undisturbed(double seconds, double waitedSeconds);
/// Of a sample that is to fit between the turns of others.
double shortSample(double minRepeatSeconds);

/// Seconds of one call, as a few short samples tell before kernels are timed in turn. A call that was held up is no
/// slow kernel: only what takes as long a second time is taken for one, and not called more often than that.
class CallEstimate {
  public:
    /// `checkedSeconds`: what one call took when its answer was checked.
    CallEstimate(double minRepeatSeconds, double checkedSeconds)
        : m_minRepeatSeconds(minRepeatSeconds), m_seconds(checkedSeconds) {}
    [[nodiscard]] int64_t nextCalls() const; // 0: enough is known
    [[nodiscard]] double nextSeconds() const { return m_seconds * static_cast<double>(nextCalls()); }
    void add(double seconds); // of `nextCalls()` calls together
    [[nodiscard]] double seconds() const { return m_seconds; }

  private:
    double m_minRepeatSeconds;
    double m_seconds; // the least so far
    int m_samples = 0;
};

/// Samples of one of several kernels that are timed in turn, `rounds` or fewer: the time of one that is far slower than
/// the fastest is only held against it, which needs no precision, and its single call lasts longer than a sample.
int samplesInTurn(double onceSeconds, double fastestSeconds, double minRepeatSeconds, int rounds);
/// Those few are spread evenly over the rounds.
bool takesPart(int round, int rounds, int samples);

/// A sample of a kernel that is timed in turn with others.
struct SampleInTurn {
    double perCall = 0;  // seconds
    bool clean = true;   // undisturbed
    double unwaited = 0; // seconds per call without what it waited for a processor
};
/// What is compared: the undisturbed samples of each when all have enough of them, else all samples of all, since times
/// of different conditions say nothing about each other; then each tells how little it may really take. `coarse`
/// kernels (samplesInTurn) have all of theirs anyway.
std::vector<TurnSamples> comparableSamples(const std::vector<std::vector<SampleInTurn>> &samples,
                                           const std::vector<bool> &coarse);

/// What a whole search may spend on samples that others disturbed. At first there is plenty, since most disturbances
/// pass; a machine that is always busy uses that up, and then such samples take no longer than undisturbed ones would.
class RetryBudget {
  public:
    explicit RetryBudget(const SamplingOptions &options);
    /// For the next trial: its SamplingOptions::disturbedSeconds.
    [[nodiscard]] double forTrial() const;
    /// A trial that came out unstable is worth another try.
    [[nodiscard]] bool secondTry() const { return m_left > m_share; }
    /// A trial has ended, which spent `disturbedSeconds` on disturbed samples.
    void trialEnded(double disturbedSeconds);
    void secondTryEnded(double seconds); // all of it

  private:
    void add(double seconds);
    double m_share; // of every trial: as long as its undisturbed samples take
    double m_most;  // of one trial
    double m_full;  // that can be put aside
    double m_left;
};

class Sampler {
  public:
    /// `estimate`: seconds one call took, from the runs that checked the answer.
    Sampler(const SamplingOptions &options, double estimate);

    /// Calls that make up the next sample; 0 when enough is known.
    [[nodiscard]] int64_t nextCalls() const { return m_calls; }
    /// How long they will take, if they are disturbed as the last ones were.
    [[nodiscard]] double nextSeconds() const;
    /// `seconds` for the `nextCalls()` calls together, of which it waited `waitedSeconds` for a processor.
    void add(double seconds, double waitedSeconds = 0);

    [[nodiscard]] const std::vector<double> &samples() const { return m_samples; } // seconds per call
    /// What those took that others disturbed.
    [[nodiscard]] double disturbedSeconds() const { return m_disturbed; }
    /// The best undisturbed samples do not agree, or there are too few of them.
    [[nodiscard]] bool unstable() const;

  private:
    [[nodiscard]] bool hopeless() const {
        return m_options.bestKnownSeconds > 0 && m_fastest > m_options.hopelessFactor * m_options.bestKnownSeconds;
    }
    [[nodiscard]] int64_t callsFor(double perCall) const;
    [[nodiscard]] bool enough() const;

    SamplingOptions m_options;
    std::vector<double> m_samples;
    std::vector<double> m_clean; // of these, the undisturbed ones
    double m_sampleSeconds;      // asked of the next one
    double m_fastest;            // per call, of all that was ever seen
    double m_excess = 0;         // seconds by which the last sample outlasted what the fastest calls would have taken
    double m_spent = 0;
    double m_disturbed = 0; // of that, by disturbed samples
    int64_t m_calls = 1;
};

} // namespace loopscope
