#include "measure/sampling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace loopscope {

namespace {

constexpr size_t kAgreeing = 3;
constexpr int kFewestSamples = 2;      // of a hopeless candidate, or of one whose single call outlasts the time for all
constexpr double kHopelessRepeats = 3; // times minRepeatSeconds
constexpr double kOvertime = 4;        // times the time for all, until minSamples are there
constexpr double kMaxCalls = 1e6;      // of one sample, even of an empty kernel

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

Sampler::Sampler(const SamplingOptions &options, double estimate) : m_options(options), m_calls(callsFor(estimate)) {}

int64_t Sampler::callsFor(double perCall) const {
    if (!(perCall > 0)) return static_cast<int64_t>(kMaxCalls);
    return static_cast<int64_t>(std::clamp(std::ceil(m_options.minRepeatSeconds / perCall), 1.0, kMaxCalls));
}

void Sampler::add(double seconds) {
    const double perCall = seconds / static_cast<double>(m_calls);
    m_spent += seconds;
    // The estimate comes from a first, cold call and may be far too high; such a sample is too short to keep.
    const bool tooShort = seconds < 0.5 * m_options.minRepeatSeconds;
    if (tooShort && static_cast<double>(m_calls) < kMaxCalls) {
        m_calls = std::max(callsFor(perCall), m_calls + 1);
        return;
    }
    m_samples.push_back(perCall);
    const double best = *std::min_element(m_samples.begin(), m_samples.end());
    const auto count = static_cast<int>(m_samples.size());
    // On a busy machine one call of microseconds may take milliseconds, so hopelessness needs some time to show.
    if (hopeless(best) && count >= kFewestSamples && m_spent >= kHopelessRepeats * m_options.minRepeatSeconds) {
        m_calls = 0;
    } else if (count >= m_options.minSamples && bestAgree(m_samples, m_options.agreement)) {
        m_calls = 0;
    } else if (m_options.maxSamples > 0 && count >= m_options.maxSamples) {
        m_unstable = true;
        m_calls = 0;
    } else if ((m_spent >= m_options.maxTimingSeconds && count >= m_options.minSamples) ||
               (m_spent >= kOvertime * m_options.maxTimingSeconds && count >= kFewestSamples)) {
        m_unstable = !bestAgree(m_samples, m_options.agreement);
        m_calls = 0;
    } else {
        m_calls = callsFor(best);
    }
}

} // namespace loopscope
