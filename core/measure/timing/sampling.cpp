#include "measure/timing/sampling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace loopscope {

namespace {

constexpr size_t kAgreeing = 3;
constexpr int kMinSamples = 2;         // of a hopeless candidate, or of one whose single call outlasts the time for all
constexpr double kHopelessRepeats = 3; // times minRepeatSeconds
constexpr double kOvertime = 4;        // times the time for all, until minSamples undisturbed ones are there
constexpr double kMaxCalls = 1e6;      // of one sample, even of an empty kernel
constexpr size_t kMaxSamples = 200;
constexpr double kWaitedShare = 0.01; // of a sample; a third of the agreement asked for
constexpr double kShortShare = 0.1;   // of minRepeatSeconds: 2 ms, less than a scheduler's slice
constexpr int kEstimates = 4;         // short samples that tell how long a call takes
constexpr int kSlowSamples = 5;       // of a kernel timed in turn with one that is kFarSlower times as fast
constexpr double kFarSlower = 4;
constexpr size_t kEnoughClean = 5; // of a kernel that is compared, rounds permitting
constexpr double kMinShare = 0.01; // of a sample others held up, that is the kernel's for certain
constexpr double kFullBudget = 40; // trials' shares that can be put aside
constexpr double kMaxRetries = 2;  // times maxTimingSeconds, of one trial

} // namespace

bool bestAgree(const std::vector<double> &samples, double agreement) {
    if (samples.size() < 2) return false;
    std::vector<double> sorted = samples;
    std::sort(sorted.begin(), sorted.end());
    return sorted[std::min(kAgreeing, sorted.size()) - 1] <= sorted[0] * (1 + agreement);
}

double agreedSeconds(const std::vector<double> &samples) {
    if (samples.empty()) return std::numeric_limits<double>::infinity();
    // Asked for of every trial whenever a table is sorted: nothing is copied or allocated.
    std::array<double, kAgreeing> least{};
    const size_t best = std::min(kAgreeing, samples.size());
    std::partial_sort_copy(samples.begin(), samples.end(), least.begin(), least.begin() + best);
    return (least[(best - 1) / 2] + least[best / 2]) / 2;
}

bool undisturbed(double seconds, double waitedSeconds) { return waitedSeconds <= kWaitedShare * seconds; }

double shortSample(double minRepeatSeconds) { return kShortShare * minRepeatSeconds; }

int64_t CallEstimate::nextCalls() const {
    const bool slow = m_samples >= kMinSamples && m_seconds >= m_minRepeatSeconds;
    if (slow || m_samples > kEstimates) return 0;
    if (m_samples == 0) return 1; // the first touches what the check did not
    return static_cast<int64_t>(std::clamp(shortSample(m_minRepeatSeconds) / m_seconds, 1.0, kMaxCalls));
}

void CallEstimate::add(double seconds) {
    constexpr double kLeast = 1e-9; // an empty kernel, by a clock that did not move
    const double perCall = std::max(seconds / static_cast<double>(nextCalls()), kLeast);
    m_seconds = m_seconds > 0 ? std::min(m_seconds, perCall) : perCall;
    ++m_samples;
}

int samplesInTurn(double onceSeconds, double fastestSeconds, double minRepeatSeconds, int rounds) {
    const bool coarse = onceSeconds >= minRepeatSeconds && onceSeconds > kFarSlower * fastestSeconds;
    return coarse ? std::min(rounds, kSlowSamples) : rounds;
}

bool takesPart(int round, int rounds, int samples) { return round * samples % rounds < samples; }

std::vector<TurnSamples> comparableSamples(const std::vector<std::vector<SampleInTurn>> &samples,
                                           const std::vector<bool> &coarse) {
    bool enough = true;
    for (size_t i = 0; i < samples.size(); ++i) {
        const auto clean = static_cast<size_t>(std::count_if(samples[i].begin(), samples[i].end(),
                                                             [](const SampleInTurn &sample) { return sample.clean; }));
        enough = enough && (coarse[i] || clean >= std::min(kEnoughClean, samples[i].size()));
    }
    std::vector<TurnSamples> compared(samples.size());
    for (size_t i = 0; i < samples.size(); ++i) {
        for (const SampleInTurn &sample : samples[i]) {
            if (sample.clean || !enough || coarse[i]) compared[i].seconds.push_back(sample.perCall);
            // Threads wait one by one: their waits together may be longer than the sample.
            const double least = std::max(sample.unwaited, kMinShare * sample.perCall);
            if (!enough) compared[i].least = compared[i].least > 0 ? std::min(compared[i].least, least) : least;
        }
    }
    return compared;
}

RetryBudget::RetryBudget(const SamplingOptions &options)
    : m_share(options.minRepeatSeconds * options.minSamples),
      m_most(std::max(m_share, kMaxRetries * options.maxTimingSeconds)), m_full(kFullBudget * m_share), m_left(m_full) {
}

double RetryBudget::forTrial() const { return std::clamp(m_left, m_share, m_most); }

void RetryBudget::trialEnded(double disturbedSeconds) { add(m_share - disturbedSeconds); }

void RetryBudget::secondTryEnded(double seconds) { add(-seconds); }

void RetryBudget::add(double seconds) { m_left = std::clamp(m_left + seconds, 0.0, m_full); }

Sampler::Sampler(const SamplingOptions &options, double estimate)
    : m_options(options), m_sampleSeconds(options.minRepeatSeconds),
      m_fastest(estimate > 0 ? estimate : std::numeric_limits<double>::infinity()), m_calls(callsFor(estimate)) {}

int64_t Sampler::callsFor(double perCall) const {
    if (!(perCall > 0)) return static_cast<int64_t>(kMaxCalls);
    return static_cast<int64_t>(std::clamp(std::ceil(m_sampleSeconds / perCall), 1.0, kMaxCalls));
}

double Sampler::nextSeconds() const {
    return std::isfinite(m_fastest) ? m_fastest * static_cast<double>(m_calls) + m_excess : 0;
}

bool Sampler::enough() const {
    const int count = static_cast<int>(m_samples.size());
    // On a busy machine one call of microseconds may take milliseconds, so hopelessness needs some time to show.
    const int clean = static_cast<int>(m_clean.size());
    if (hopeless() && clean > 0 && count >= kMinSamples && m_spent >= kHopelessRepeats * m_options.minRepeatSeconds)
        return true;
    if (m_options.maxSamples > 0 && count >= m_options.maxSamples) return true;
    if (clean >= m_options.minSamples && bestAgree(m_clean, m_options.agreement)) return true;
    if (m_samples.size() >= kMaxSamples) return true;
    if (m_options.maxSamples == 0 && m_disturbed >= m_options.disturbedSeconds && count >= kMinSamples) return true;
    if (m_spent >= m_options.maxTimingSeconds && clean >= m_options.minSamples) return true;
    return m_spent >= kOvertime * m_options.maxTimingSeconds && count >= kMinSamples;
}

void Sampler::add(double seconds, double waitedSeconds) {
    const auto calls = static_cast<double>(m_calls);
    const double perCall = seconds / calls;
    m_fastest = std::min(m_fastest, perCall);
    m_excess = std::max(seconds - m_fastest * calls, 0.0);
    m_spent += seconds;
    const bool clean = undisturbed(seconds, waitedSeconds);
    if (!clean) m_disturbed += seconds;
    // The estimate comes from a first, cold call and may be far too high, as may every disturbed time; a sample of so
    // few calls is too short to keep, however long it was interrupted.
    const bool tooShort = m_fastest * calls < 0.5 * m_sampleSeconds && calls < kMaxCalls;
    if (!tooShort) {
        m_samples.push_back(perCall);
        if (clean) m_clean.push_back(perCall);
    }
    if (!clean) m_sampleSeconds = shortSample(m_options.minRepeatSeconds);
    const bool givenUp = tooShort && m_spent >= kOvertime * m_options.maxTimingSeconds && !m_samples.empty();
    m_calls = (!tooShort && enough()) || givenUp ? 0 : std::max(callsFor(m_fastest), tooShort ? m_calls + 1 : 1);
}

bool Sampler::unstable() const {
    if (hopeless() && !m_clean.empty()) return false; // far too slow is all that it says
    return static_cast<int>(m_clean.size()) < std::min(m_options.minSamples, kMinSamples) ||
           !bestAgree(m_clean, m_options.agreement);
}

} // namespace loopscope
