#include "views/trials/failure_summary.h"

#include "views/trials/trial_filter.h"

#include <algorithm>

namespace loopscope {

void FailureSummary::clear() { *this = FailureSummary(); }

void FailureSummary::add(const TrialEntry &entry, int trial) {
    if (entry.valid()) return;
    ++m_failed;
    ++m_counts[static_cast<size_t>(entry.trial.error)];
    const std::string_view reason(entry.trial.reason);
    std::string pattern = reasonPattern(reason.substr(0, reason.find('\n')));
    const auto [found, isNew] =
        m_clusterOf.try_emplace(std::string(trialErrorName(entry.trial.error)) + ':' + pattern, m_clusters.size());
    if (isNew) m_clusters.push_back({entry.trial.error, std::move(pattern), 0, trial});
    ++m_clusters[found->second].count;
}

std::vector<ReasonCluster> FailureSummary::topReasons(size_t most) const {
    std::vector<ReasonCluster> top(std::min(most, m_clusters.size()));
    // The number of the cluster decides among equals, so that nothing jumps about while trials come in.
    std::vector<size_t> order(m_clusters.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::partial_sort(
        order.begin(), order.begin() + static_cast<ptrdiff_t>(top.size()), order.end(), [this](size_t a, size_t b) {
            return m_clusters[a].count != m_clusters[b].count ? m_clusters[a].count > m_clusters[b].count : a < b;
        });
    for (size_t i = 0; i < top.size(); ++i) top[i] = m_clusters[order[i]];
    return top;
}

} // namespace loopscope
