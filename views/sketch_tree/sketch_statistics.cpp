#include "views/sketch_tree/sketch_statistics.h"

#include <algorithm>
#include <cmath>

namespace loopscope {

double SketchNumbers::median() const {
    if (seconds.empty()) return std::numeric_limits<double>::infinity();
    const size_t half = seconds.size() / 2;
    return seconds.size() % 2 ? seconds[half] : (seconds[half - 1] + seconds[half]) / 2;
}

void SketchStatistics::reset(const Document &document) {
    *this = {};
    m_numbers.resize(document.sketches.size());
    countSampled(document);
    add(document, 0);
}

void SketchStatistics::add(const Document &document, size_t first) {
    std::vector<size_t> before;
    for (const auto &numbers : m_numbers) before.push_back(numbers.seconds.size());
    for (size_t i = first; i < document.trials.size(); ++i) {
        const TrialEntry &entry = document.trials[i];
        if (entry.sketch < 0 || static_cast<size_t>(entry.sketch) >= m_numbers.size()) {
            ++m_unknown;
            continue;
        }
        SketchNumbers &numbers = m_numbers[static_cast<size_t>(entry.sketch)];
        ++numbers.measured;
        const double seconds = entry.seconds();
        if (entry.untimed()) continue; // measured, and neither fast nor failed
        if (!entry.valid() || !std::isfinite(seconds)) {
            ++numbers.failed;
            continue;
        }
        numbers.seconds.push_back(seconds);
        if (seconds < numbers.best) {
            numbers.best = seconds;
            numbers.bestTrial = static_cast<int>(i);
        }
        m_fastest = std::min(m_fastest, seconds);
        m_slowest = std::max(m_slowest, seconds);
    }
    for (size_t i = 0; i < m_numbers.size(); ++i) {
        auto &seconds = m_numbers[i].seconds;
        const auto fresh = seconds.begin() + static_cast<ptrdiff_t>(before[i]);
        std::sort(fresh, seconds.end());
        std::inplace_merge(seconds.begin(), fresh, seconds.end());
    }
    // A verdict of the finalists goes before times.
    m_bestSketch = -1;
    if (document.best >= 0 && static_cast<size_t>(document.best) < document.trials.size())
        m_bestSketch = document.trials[static_cast<size_t>(document.best)].sketch;
}

void SketchStatistics::countSampled(const Document &document) {
    for (auto &numbers : m_numbers) numbers.sampled = -1;
    for (const auto &round : document.rounds) {
        if (!round.sampled) continue;
        const auto &counts = round.sampled->validOfSketch;
        for (size_t i = 0; i < std::min(counts.size(), m_numbers.size()); ++i)
            m_numbers[i].sampled = std::max(m_numbers[i].sampled, 0) + counts[i];
    }
}

const SketchNumbers &SketchStatistics::of(int sketch) const {
    static const SketchNumbers none;
    return sketch >= 0 && static_cast<size_t>(sketch) < m_numbers.size() ? m_numbers[static_cast<size_t>(sketch)]
                                                                         : none;
}

} // namespace loopscope
