#include "measure/fleet/fleet_round.h"

#include "schedule/steps_json.h"

#include <algorithm>
#include <fmt/format.h>

namespace loopscope {

FleetRound::FleetRound(int task, const std::vector<Steps> &candidates, const MeasureWatch &watch, int rounds)
    : m_task(task), m_candidates(candidates), m_watch(watch), m_rounds(rounds), m_done(candidates.size()),
      m_by(candidates.size()), m_losses(candidates.size()) {
    for (size_t i = 0; i < candidates.size(); ++i) m_waiting.push_back(i);
}

std::vector<size_t> FleetRound::handOut(size_t count) {
    std::vector<size_t> given;
    while (given.size() < count && !m_waiting.empty()) {
        given.push_back(m_waiting.front());
        m_waiting.pop_front();
    }
    return given;
}

std::string FleetRound::message(uint64_t batch, const std::vector<size_t> &candidates) const {
    std::vector<std::string> steps;
    for (const size_t candidate : candidates) steps.push_back(stepsText(m_candidates[candidate]));
    return inTurn() ? encodeFleet(FleetInterleave{batch, m_task, m_rounds, std::move(steps)})
                    : encodeFleet(FleetMeasure{batch, m_task, std::move(steps)});
}

bool FleetRound::take(size_t candidate, Trial trial, const std::string &node) {
    if (m_done[candidate]) return false;
    trial.machine = node;
    m_done[candidate] = std::move(trial);
    m_by[candidate] = node;
    return true;
}

void FleetRound::giveBack(const std::vector<size_t> &inFlight, int most, const std::string &why) {
    for (auto candidate = inFlight.rbegin(); candidate != inFlight.rend(); ++candidate) {
        if (m_done[*candidate]) continue;
        addStage(*candidate, TrialStage::Built); // it was, and waits for another node
        if (most == 0 || ++m_losses[*candidate] < most) {
            m_waiting.push_front(*candidate);
            continue;
        }
        Trial trial;
        trial.steps = m_candidates[*candidate];
        trial.error = TrialError::Unknown;
        trial.reason = fmt::format("{} nodes were lost while it was in flight, the last: {}", most, why);
        m_done[*candidate] = std::move(trial);
    }
}

size_t FleetRound::forgetTrialsOf(const std::string &node) {
    size_t forgotten = 0;
    for (size_t i = m_done.size(); i > m_told; --i) {
        if (!m_done[i - 1] || m_by[i - 1] != node) continue;
        m_done[i - 1].reset();
        m_waiting.push_front(i - 1);
        ++forgotten;
    }
    return forgotten;
}

std::optional<std::pair<size_t, TrialStage>> FleetRound::nextStage() {
    while (!m_stages.empty()) {
        const auto stage = m_stages.front();
        m_stages.pop_front();
        if (stage.first >= m_told) return stage;
    }
    return std::nullopt;
}

std::optional<std::pair<size_t, Trial>> FleetRound::nextTrial() {
    if (over() || !m_done[m_told]) return std::nullopt;
    const size_t index = m_told++;
    return std::pair(index, *m_done[index]);
}

} // namespace loopscope
