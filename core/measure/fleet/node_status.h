#pragma once
// What is known of a node of a fleet.

#include "language/target/target.h"
#include "measure/fleet/messages.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace loopscope {

enum class NodeState : uint8_t {
    Starting,
    Idle,
    Preparing, // computes the reference of a task
    Measuring,
    Lost,    // and is started again
    Apart,   // slower or faster than the others, so that its times would not compare
    Drained, // by the user: it has nothing new
    Refused, // it is not what the search is for
    Gone,    // lost for good
};
std::string_view nodeStateName(NodeState state); // "starting", ...

struct NodeStatus {
    std::string name;
    NodeState state = NodeState::Starting;
    std::string why; // of states that need a reason
    NodeHello hello;
    size_t prepared = 0;       // tasks that it can measure
    size_t trials = 0;         // that count
    size_t unstable = 0;       // of these, whose samples never agreed
    double minutes = 0;        // since it first said what it is
    size_t inFlight = 0;       // candidates
    int current = -1;          // of the round, that is timed now; -1: none
    std::string task;          // that it is of, or that is prepared, where there are several
    int lost = 0;              // how often
    double firstReference = 0; // seconds of the reference kernel; 0: not timed yet
    double reference = 0;      // the last time
    size_t waits = 0;          // between two batches that followed each other
    double waited = 0;         // seconds, the median of these
    double drift() const { return firstReference > 0 ? reference / firstReference - 1 : 0; }
};

/// That it is lost, or gone, and what becomes of the candidates it had in flight.
std::string lossText(const NodeStatus &node, size_t inFlight);
/// Of one whose reference kernel takes 1 + `off` times that of the others.
std::string apartText(double off);
/// In what a node is not what a search is for; empty: in nothing.
std::string differenceFrom(const NodeHello &hello, const Target &target);

} // namespace loopscope
