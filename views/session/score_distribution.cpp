#include "views/session/score_distribution.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace loopscope {

ScoreDistribution::ScoreDistribution(std::vector<float> scores, int bins) {
    std::sort(scores.begin(), scores.end(),
              [](float a, float b) { return std::isnan(a) ? !std::isnan(b) : a < b; }); // of NaN, too, an order
    const size_t count = std::min(scores.size(), kQuantiles);
    m_quantiles.reserve(count);
    for (size_t i = 0; i < count; ++i)
        m_quantiles.push_back(scores[count < 2 ? 0 : i * (scores.size() - 1) / (count - 1)]);

    m_least = std::numeric_limits<double>::infinity();
    m_most = -m_least;
    uint32_t finite = 0;
    for (const float score : scores) {
        if (!std::isfinite(score)) continue;
        ++finite;
        m_least = std::min<double>(m_least, score);
        m_most = std::max<double>(m_most, score);
    }
    if (finite == 0 || bins < 1) return;
    if (m_most <= m_least) {
        m_counts = {finite};
        return;
    }
    m_counts.resize(static_cast<size_t>(bins));
    const double width = (m_most - m_least) / bins;
    for (const float score : scores) {
        if (!std::isfinite(score)) continue;
        const auto bin = static_cast<size_t>((score - m_least) / width);
        ++m_counts[std::min(bin, m_counts.size() - 1)];
    }
}

std::vector<ScoreBin> ScoreDistribution::bins() const {
    if (m_counts.empty()) return {};
    if (m_most <= m_least) return {{m_least, m_most, static_cast<int>(m_counts.front())}};
    std::vector<ScoreBin> list(m_counts.size());
    const double width = (m_most - m_least) / static_cast<double>(list.size());
    for (size_t i = 0; i < list.size(); ++i)
        list[i] = {m_least + width * static_cast<double>(i), m_least + width * static_cast<double>(i + 1),
                   static_cast<int>(m_counts[i])};
    return list;
}

} // namespace loopscope
