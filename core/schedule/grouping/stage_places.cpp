#include "schedule/grouping/stage_places.h"

#include <algorithm>
#include <fmt/format.h>

namespace loopscope {

StagePlaces::StagePlaces(const Grouping &grouping)
    : m_pipeline(grouping.pipeline), m_inlined(grouping.inlinedStages()), m_home(grouping.pipeline.stages.size(), -1) {
    for (size_t stage = 0; stage < m_inlined.size(); ++stage)
        m_inlined[stage] = m_inlined[stage] || m_pipeline.stages[stage].removed;
}

std::vector<StageId> StagePlaces::inlined() const {
    std::vector<StageId> stages;
    for (size_t stage = 0; stage < m_inlined.size(); ++stage)
        if (m_inlined[stage]) stages.emplace_back(m_pipeline.stages[stage].op);
    return stages;
}

std::string StagePlaces::readerOutside(size_t stage, size_t home) const {
    for (size_t other = 0; other < m_pipeline.stages.size(); ++other) {
        if (other == stage || !reads(other, stage)) continue;
        if (std::string outside = outsideOf(other, home); !outside.empty()) return outside;
    }
    return {};
}

bool StagePlaces::reads(size_t reader, size_t stage) const {
    const Op &op = m_pipeline.dag->op(static_cast<size_t>(m_pipeline.stages[reader].op));
    const Op *producer = &m_pipeline.dag->op(static_cast<size_t>(m_pipeline.stages[stage].op));
    const auto inputs = inputTensors(op);
    return std::any_of(inputs.begin(), inputs.end(), [&](const Tensor *tensor) { return tensor->op == producer; });
}

/// The stage, or one it is inlined into, when it does not stand in the nest of `home`.
std::string StagePlaces::outsideOf(size_t stage, size_t home) const {
    for (int at = static_cast<int>(stage); at >= 0; at = m_home[static_cast<size_t>(at)])
        if (at == static_cast<int>(home)) return {};
    if (!m_inlined[stage]) return m_pipeline.stages[stage].name;
    for (size_t other = 0; other < m_pipeline.stages.size(); ++other)
        if (other != stage && reads(other, stage))
            if (std::string outside = outsideOf(other, home); !outside.empty()) return outside;
    return {};
}

std::string noteOfReaderOutside(const std::string &stage, const std::string &reader) {
    return fmt::format("{}: {} reads it, too, from outside its group; it is computed at root", stage, reader);
}

} // namespace loopscope
