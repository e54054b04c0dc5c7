#pragma once
// Which nodes of a function become one kernel. The compatible mode follows TVM's operator fusion (immediate
// post-dominators, three sweeps over union-find groups), so that the kernels, and with them the task keys, are those
// its users' logs know. Every edge that stays cut keeps its reason.
//
// Better begins with the same groups and joins more where that saves a pass over memory; see better_fusion.h for what.

#include "networks/graph/function.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

enum class FusionMode : uint8_t { Compatible, Better };
std::string_view fusionModeName(FusionMode mode); // "compatible", "better"
std::optional<FusionMode> fusionModeFromName(std::string_view name);

/// Nodes that are computed together, in the order of the function.
struct Kernel {
    std::string name; // of its operators: "conv_add_relu"; not unique
    std::vector<NodeId> nodes;
    /// Values from outside, depth-first from the outputs and each node's inputs from left to right, as TVM numbers the
    /// parameters of a fused function. Constants are inputs like any other but those of rank 0, which stay inside.
    /// Inputs that only say a shape (reshape's second) are none.
    std::vector<ValueId> inputs;
    std::vector<ValueId> outputs; // read outside or results of the function
    NodeId anchor; // the last of its nodes with the largest pattern kind of reduction or above; invalid: none
    /// Nothing but other dims of the same elements (reshape): its output may share its input's memory.
    bool alias = false;
    /// A concat that copies nothing: its inputs lie one after the other in its output's memory. Better mode.
    bool joins = false;
    std::string whyCopied; // one sentence, of a concat that does not join; better mode

    /// Nothing is left to run, so there is no code.
    [[nodiscard]] bool runs() const { return !alias && !joins; }
};

/// Two kernels with an edge between them, and why it stays.
struct CutEdge {
    NodeId producer;
    NodeId consumer;
    std::string reason; // "two anchors: conv 'conv1' and softmax 'prob'"
};

struct Partition {
    FusionMode mode = FusionMode::Compatible;
    std::vector<Kernel> kernels;  // in an order in which each stands after what it reads
    std::vector<size_t> kernelOf; // by node
    std::vector<CutEdge> cuts;    // in the order of the consumers, then of their inputs
};

/// Types must be inferred. Nodes that no result depends on are in kernels like others. Better mode joins nothing to
/// what stands behind the nodes in `apart`.
Partition partitionFunction(const GraphFunction &function, FusionMode mode, const std::set<NodeId> &apart = {});

} // namespace loopscope
