#pragma once
// When to stop timing: sampling goes on until the best three samples agree, which holds up on a machine whose other
// work we do not control better than any fixed count does. Where the system tells for how long it gave the processor to
// others, such a sample does not count, and shorter ones are tried, which fit between the turns of the others. The
// policy alone, without a clock, so that it can be tested.

#include <cstdint>
#include <vector>

namespace loopscope {

struct SamplingOptions {
    double minRepeatSeconds = 0.02; // one sample lasts at least this long
    int minSamples = 3;
    double maxTimingSeconds = 0.4;
    double agreement = 0.03;
    /// Best time known so far (0 = none): a candidate `hopelessFactor` times slower is given up after two samples, when
    /// those took long enough.
    double bestKnownSeconds = 0;
    double hopelessFactor = 4;
    int maxSamples = 0; // 0 = as many as fit maxTimingSeconds
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
    int64_t m_calls = 1;
};

} // namespace loopscope
