#include "networks/op/layout_rule.h"

#include "networks/op/infer_types.h"
#include "networks/op/operator.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace loopscope {

namespace {

bool isOneOf(std::string_view op, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), op) != names.end();
}

bool isWindow(const Node &node) {
    return isOneOf(node.op, {"max_pool", "average_pool", "global_average_pool", "global_max_pool"});
}

bool isReduction(const Node &node) { return node.op.starts_with("reduce_"); }

bool namesAnAxis(const Node &node) {
    return isOneOf(node.op, {"concat", "split", "softmax", "log_softmax", "bias_add", "argmax", "argmin"});
}

bool allOnes(const Dims &dims) {
    return std::all_of(dims.begin(), dims.end(), [](const Dim &dim) { return dim == Dim(1); });
}

/// Each element of the result is made of those at its place.
bool isElementwise(const GraphFunction &function, const Node &node, const Operator &entry) {
    if (entry.pattern == PatternKind::Broadcast) return !isOneOf(node.op, {"unsqueeze", "expand", "batch_norm"});
    if (entry.pattern != PatternKind::Elementwise) return false;
    const Dims &to = function.type(node.outputs[0]).dims;
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId input) {
        return input.value < 0 || function.type(input).dims == to || allOnes(function.type(input).dims);
    });
}

LayoutRule fixed(std::string why) { return {LayoutRole::Fixed, std::move(why)}; }

} // namespace

std::string_view layoutRoleName(LayoutRole role) {
    static constexpr std::array<std::string_view, 5> kNames = {"owning", "window", "agnostic", "following", "fixed"};
    return kNames[static_cast<size_t>(role)];
}

LayoutRule layoutRuleOf(const GraphFunction &function, const Node &node) {
    const Operator *entry = findOperator(node.op);
    if (entry == nullptr) return fixed("the catalogue does not know it");
    if (node.inputs.empty() || node.inputs[0].value < 0) return fixed("it reads no data");
    const size_t rank = function.type(node.outputs[0]).dims.size();
    if (rank < 3) return fixed(fmt::format("its result has {} axes, none of them spatial", rank));
    if (node.op == "conv" || isWindow(node)) {
        if (layoutOf(node) != DataLayout::ChannelsFirst) return fixed("the network itself says its layout");
        return {node.op == "conv" ? LayoutRole::Owning : LayoutRole::Window, {}};
    }
    if (namesAnAxis(node) || isReduction(node)) {
        if (function.type(node.inputs[0]).dims.size() != rank) return fixed("its result has fewer axes than its input");
        return {LayoutRole::Following, {}};
    }
    if (node.op == "resize") return {LayoutRole::Following, {}};
    if (isElementwise(function, node, *entry)) return {LayoutRole::Agnostic, {}};
    if (isOneOf(node.op, {"reshape", "flatten", "squeeze", "unsqueeze", "expand"}))
        return fixed("which elements its dims join depends on their order");
    if (node.op == "transpose") return fixed("it puts axes in an order of its own");
    return fixed(fmt::format("{} is written for channels first alone", node.op));
}

LaidOutNode laidOut(const GraphFunction &function, const Node &node, DataLayout layout) {
    LaidOutNode written = {{}, node.attributes};
    const size_t rank = function.type(node.outputs[0]).dims.size();
    const std::vector<size_t> axes = axesIn(layout, rank);
    const std::vector<size_t> places = inverseOf(axes);
    const OperatorUse use = useOf(function, node);
    if (node.op == "conv" || isWindow(node)) {
        written.attributes["layout"] = std::string(dataLayoutName(layout));
        written.operands.assign(node.inputs.size(), OperandForm::AsItIs);
        written.operands[0] = OperandForm::Data;
        if (node.op == "conv") written.operands[1] = OperandForm::Kernel;
        return written;
    }
    const auto moved = [&](int64_t axis) {
        const auto at = axisIn(axis, rank);
        return at ? static_cast<int64_t>(places[*at]) : axis;
    };
    if (namesAnAxis(node)) {
        written.attributes["axis"] = moved(use.integer("axis"));
    } else if (isReduction(node)) {
        std::vector<int64_t> reduced = use.integers("axes");
        std::transform(reduced.begin(), reduced.end(), reduced.begin(), moved);
        std::sort(reduced.begin(), reduced.end());
        written.attributes["axes"] = std::move(reduced);
    } else if (node.op == "resize") {
        if (auto sizes = use.integers("sizes"); !sizes.empty()) written.attributes["sizes"] = permuted(sizes, axes);
        if (auto scales = use.numbers("scales"); !scales.empty()) written.attributes["scales"] = permuted(scales, axes);
    }
    for (size_t i = 0; i < node.inputs.size(); ++i) {
        OperandForm form = OperandForm::AsItIs;
        if (node.inputs[i].value >= 0) {
            const Dims &dims = function.type(node.inputs[i]).dims;
            if (dims.size() == rank)
                form = OperandForm::Data;
            else if (!allOnes(dims) && !(node.op == "bias_add" && i == 1))
                form = OperandForm::Broadcast;
        }
        written.operands.push_back(form);
    }
    return written;
}

} // namespace loopscope
