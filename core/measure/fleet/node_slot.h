#pragma once
// What a fleet keeps of a node beside what it tells of it. Internal to fleet.cpp.

#include "measure/fleet/fleet_round.h"
#include "measure/fleet/node_status.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

namespace loopscope {

struct NodeSlot {
    struct Batch {
        uint64_t number = 0;
        FleetRound *round = nullptr;
        std::vector<size_t> candidates; // of the round
    };
    NodeStatus status;
    bool known = false; // since it was started
    bool apart = false;
    bool drained = false;
    int problems = 0;           // one after the other, of what it was asked to measure
    bool preparing = false;     // a task
    std::vector<Batch> batches; // in flight
    bool wantsReference = false;
    bool timesReference = false;
    std::chrono::steady_clock::time_point referenceAt;
    std::vector<uint64_t> cancel; // batches, to be sent
    std::vector<double> waits;    // seconds, ascending
    std::optional<std::chrono::steady_clock::time_point> since;

    /// How long it stood still before a batch.
    void addWait(double seconds) {
        waits.insert(std::ranges::upper_bound(waits, seconds), seconds);
        status.waits = waits.size();
        status.waited = waits[(waits.size() - 1) / 2];
    }
    /// It cannot measure, though it is there.
    [[nodiscard]] bool broken() const { return problems >= 2; }
    /// It may have candidates.
    [[nodiscard]] bool isUsable() const { return known && !apart && !drained && !broken(); }
    /// Nothing is to be expected of it any more.
    [[nodiscard]] bool isOut() const {
        return broken() || status.state == NodeState::Refused || status.state == NodeState::Gone;
    }
    /// What it has in flight is of nobody's interest; of that round, or of all.
    void cancelBatches(const FleetRound *round = nullptr) {
        std::erase_if(batches, [&](const Batch &batch) {
            if (round != nullptr && batch.round != round) return false;
            cancel.push_back(batch.number);
            return true;
        });
        updateState();
    }
    void forget() {
        known = timesReference = preparing = false;
        problems = 0;
        batches.clear();
        cancel.clear();
    }
    /// From what it is and has in flight; states that end it stay.
    void updateState() {
        status.inFlight = 0;
        for (const Batch &batch : batches) status.inFlight += batch.candidates.size();
        if (status.inFlight == 0) status.current = -1;
        if (status.state == NodeState::Refused || status.state == NodeState::Gone || !known) return;
        status.state = apart || broken()  ? NodeState::Apart
                       : !batches.empty() ? NodeState::Measuring
                       : preparing        ? NodeState::Preparing
                       : drained          ? NodeState::Drained
                                          : NodeState::Idle;
    }
};

} // namespace loopscope
