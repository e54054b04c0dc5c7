#pragma once
// The candidates of one measurement on a fleet: which wait, which are in flight, which are measured and by whom. Each
// counts once, whatever comes back twice, and they are told in their order.

#include "measure/fleet/messages.h"
#include "measure/measurer.h"

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace loopscope {

class FleetRound {
  public:
    /// `rounds` > 0: all candidates are timed in turn, so often, on one node. What is given has to live as long.
    FleetRound(int task, const std::vector<Steps> &candidates, const MeasureWatch &watch, int rounds = 0);

    [[nodiscard]] int task() const { return m_task; }
    [[nodiscard]] const std::vector<Steps> &candidates() const { return m_candidates; }
    [[nodiscard]] bool inTurn() const { return m_rounds > 0; }
    [[nodiscard]] int rounds() const { return m_rounds; }
    /// Nothing is to be begun now.
    [[nodiscard]] bool held() const { return m_watch.paused() || m_watch.cancelled(); }
    [[nodiscard]] size_t waiting() const { return m_waiting.size(); }
    [[nodiscard]] bool isMeasured(size_t candidate) const { return m_done[candidate].has_value(); }

    /// The next ones, which are in flight then.
    std::vector<size_t> handOut(size_t count);
    /// What a node is sent for those that were handed out.
    [[nodiscard]] std::string message(uint64_t batch, const std::vector<size_t> &candidates) const;
    /// False: it was measured already.
    bool take(size_t candidate, Trial trial, const std::string &node);
    /// Those in flight that are not measured wait again, and are the next ones. One that `most` nodes were lost with
    /// fails, as that is all that is known of it; 0: no node was lost.
    void giveBack(const std::vector<size_t> &inFlight, int most, const std::string &why);
    /// What the node has measured and nobody was told of waits again; how many that are.
    size_t forgetTrialsOf(const std::string &node);

    void addStage(size_t candidate, TrialStage stage) { m_stages.emplace_back(candidate, stage); }
    /// Of candidates that are not told yet.
    std::optional<std::pair<size_t, TrialStage>> nextStage();
    /// The next in order, when it is measured: then it is told.
    std::optional<std::pair<size_t, Trial>> nextTrial();
    [[nodiscard]] bool over() const { return m_told == m_candidates.size(); }

    bool handedOut = false;              // in turn: to one node
    std::optional<FleetSamples> samples; // that came of it

  private:
    int m_task;
    const std::vector<Steps> &m_candidates;
    const MeasureWatch &m_watch;
    int m_rounds;
    std::deque<size_t> m_waiting;
    std::vector<std::optional<Trial>> m_done;
    std::vector<std::string> m_by;
    std::vector<int> m_losses;
    std::deque<std::pair<size_t, TrialStage>> m_stages;
    size_t m_told = 0;
};

} // namespace loopscope
