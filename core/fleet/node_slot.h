#pragma once
// What a fleet keeps of a node beside what it tells of it. Internal to fleet.cpp.

#include "fleet/node_status.h"

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace loopscope {

struct NodeSlot {
    struct Batch {
        uint64_t number = 0;
        std::vector<size_t> candidates; // of the round
    };
    NodeStatus status;
    bool known = false; // since it was started
    bool apart = false;
    bool drained = false;
    std::set<int> sent;                 // tasks
    std::map<int, FleetReady> answered; // by task
    std::vector<Batch> batches;         // in hand
    bool wantsReference = false;
    bool timesReference = false;
    std::chrono::steady_clock::time_point referenceAt;
    uint64_t cancel = 0; // to be sent
    std::optional<std::chrono::steady_clock::time_point> since;

    [[nodiscard]] bool isReady(int task) const {
        const auto found = answered.find(task);
        return found != answered.end() && found->second.problem.empty();
    }
    void forget() {
        known = timesReference = false;
        sent.clear();
        answered.clear();
        batches.clear();
        cancel = 0;
    }
    /// From what it is and has in hand; states that end it stay.
    void updateState() {
        status.inHand = 0;
        for (const Batch &batch : batches) status.inHand += batch.candidates.size();
        if (status.inHand == 0) status.current = -1;
        if (status.state == NodeState::Refused || status.state == NodeState::Gone || !known) return;
        status.state = apart              ? NodeState::Apart
                       : !batches.empty() ? NodeState::Measuring
                       : drained          ? NodeState::Drained
                                          : NodeState::Idle;
    }
};

} // namespace loopscope
