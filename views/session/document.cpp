#include "views/session/document.h"

#include "measure/sampling.h"

#include <algorithm>

namespace loopscope {

double TrialEntry::seconds() const {
    if (!trial.valid()) return std::numeric_limits<double>::infinity();
    return again.empty() ? trial.cost() : agreedSeconds(again.back());
}

double TrialEntry::spread() const {
    std::vector<double> samples = again.empty() ? trial.seconds : again.back();
    if (!trial.valid() || samples.size() < 2) return 0;
    std::sort(samples.begin(), samples.end());
    const auto at = [&](double share) {
        return samples[static_cast<size_t>(share * static_cast<double>(samples.size() - 1) + 0.5)];
    };
    return at(0.5) > 0 ? (at(0.9) - at(0.1)) / at(0.5) : 0;
}

double TaskState::elapsedTotal() const {
    double total = 0;
    for (const auto &entry : trials) total = std::max(total, entry.elapsed);
    for (const auto &round : rounds) total = std::max(total, round.elapsed);
    return total;
}

bool TaskState::searching() const {
    return search.state == SearchState::Running || search.state == SearchState::Pausing ||
           search.state == SearchState::Paused || search.state == SearchState::Stopping;
}

bool TaskState::worthKeeping() const {
    return !trials.empty() || !rounds.empty() || !logPath.isEmpty() || loadingLog || searching();
}

} // namespace loopscope
