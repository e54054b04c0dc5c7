#pragma once
// Which operators of a network can be written for data with channels last, and how. Some own a layout, as convolutions
// do, whose kernels go along; windows and elementwise operators take any; others follow, with their axes named anew.
// All else stays channels first, each with a reason. Who decides stands in deploy/network/layout_choice.h, who writes
// it in networks/passes/assign_layouts.h.

#include "networks/graph/function.h"
#include "networks/op/data_layout.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

enum class LayoutRole : uint8_t {
    Owning,    // computes otherwise with each layout, and has an attribute for it: convolutions
    Window,    // the same, and what it computes is the same work: pooling
    Agnostic,  // each element for itself
    Following, // the same with other numbers of axes
    Fixed,     // channels first alone
};
std::string_view layoutRoleName(LayoutRole role);

struct LayoutRule {
    LayoutRole role = LayoutRole::Fixed;
    std::string why; // it is Fixed, without subject: "its dims are given by an input"
    [[nodiscard]] bool takesAny() const { return role != LayoutRole::Fixed; }
};

/// Of a node whose types are known.
LayoutRule layoutRuleOf(const GraphFunction &function, const Node &node);

/// What an input becomes where its node has another layout.
enum class OperandForm : uint8_t {
    AsItIs,    // one element, a bias, the settings of an operator
    Data,      // the axes of the result, in its order
    Kernel,    // of a convolution
    Broadcast, // fewer axes than the result, aligned at the last: axes of extent 1 before them
};

struct LaidOutNode {
    std::vector<OperandForm> operands;
    Attributes attributes;
};
/// A node that takes any layout, written for this one.
LaidOutNode laidOut(const GraphFunction &function, const Node &node, DataLayout layout);

} // namespace loopscope
