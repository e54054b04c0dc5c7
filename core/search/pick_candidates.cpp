#include "search/pick_candidates.h"

#include <algorithm>
#include <unordered_map>

namespace loopscope {

size_t stepsApart(const Candidate &a, const Candidate &b) {
    const size_t longer = std::max(a.steps.size(), b.steps.size());
    if (a.sketch != b.sketch) return longer;
    const size_t shorter = std::min(a.steps.size(), b.steps.size());
    size_t apart = longer - shorter;
    for (size_t i = 0; i < shorter; ++i)
        if (!(a.steps[i] == b.steps[i])) ++apart;
    return apart;
}

void DiversePicks::pick(const std::vector<Candidate> &from, size_t count) {
    std::vector<double> nearness(from.size(), 0); // to the nearest picked one
    std::vector<bool> taken(from.size(), false);
    std::unordered_map<int, double> ofSketch; // picked
    const auto compare = [&](const Candidate &picked) {
        ++ofSketch[picked.sketch];
        for (size_t i = 0; i < from.size(); ++i) {
            if (from[i].key == picked.key) taken[i] = true;
            nearness[i] = std::max(nearness[i], 1 / (1 + static_cast<double>(stepsApart(from[i], picked))));
        }
    };
    for (const Candidate &picked : m_picked) compare(picked);
    for (size_t n = 0; n < count; ++n) {
        const double all = std::max<double>(1, static_cast<double>(m_picked.size()));
        const auto worth = [&](size_t i) {
            return static_cast<double>(from[i].score) - m_kinship * nearness[i] -
                   m_crowding * ofSketch[from[i].sketch] / all;
        };
        size_t next = from.size();
        for (size_t i = 0; i < from.size(); ++i)
            if (!taken[i] && (next == from.size() || worth(i) > worth(next))) next = i;
        if (next == from.size()) return;
        m_picked.push_back(from[next]);
        compare(from[next]);
    }
}

} // namespace loopscope
