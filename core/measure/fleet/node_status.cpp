#include "measure/fleet/node_status.h"

#include <cmath>
#include <fmt/format.h>

namespace loopscope {

std::string_view nodeStateName(NodeState state) {
    switch (state) {
    case NodeState::Starting:
        return "starting";
    case NodeState::Idle:
        return "idle";
    case NodeState::Preparing:
        return "preparing";
    case NodeState::Measuring:
        return "measuring";
    case NodeState::Lost:
        return "lost";
    case NodeState::Apart:
        return "apart";
    case NodeState::Drained:
        return "drained";
    case NodeState::Refused:
        return "refused";
    case NodeState::Gone:
        return "gone";
    }
    return {};
}

std::string lossText(const NodeStatus &node, size_t inFlight) {
    const bool again = node.state == NodeState::Lost;
    std::string text = fmt::format("{} is {}: {}", node.name, again ? "lost" : "gone", node.why);
    if (inFlight > 0)
        text += fmt::format("; {} candidate{} it had in flight {} measured elsewhere", inFlight,
                            inFlight == 1 ? "" : "s", inFlight == 1 ? "is" : "are");
    return again ? text + "; it is started again" : text;
}

std::string apartText(double off) {
    return fmt::format("its reference kernel takes {:.1f} % {} than that of the others", 100 * std::abs(off),
                       off > 0 ? "longer" : "less");
}

std::string differenceFrom(const NodeHello &hello, const Target &target) {
    if (hello.cpu != target.cpu)
        return fmt::format("its processor is {} ({}), and the search is for {}", hello.cpu, hello.model, target.cpu);
    if (hello.vectorBytes != target.vectorBytes)
        return fmt::format("its vectors have {} bytes, and those of the target {}", hello.vectorBytes,
                           target.vectorBytes);
    if (hello.cores < target.hardware.numCores)
        return fmt::format("it has {} for us, and the target has {}: take whole nodes",
                           hello.cores == 1 ? "1 core" : fmt::format("{} cores", hello.cores),
                           target.hardware.numCores);
    return {};
}

} // namespace loopscope
