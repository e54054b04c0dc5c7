#include "networks/op/check_node.h"
#include "base/nearest_name.h"

#include <algorithm>
#include <fmt/format.h>

namespace loopscope {

namespace {

std::string_view kindText(AttributeKind kind) {
    switch (kind) {
    case AttributeKind::Integer:
        return "an integer";
    case AttributeKind::Number:
        return "a number";
    case AttributeKind::Text:
        return "a text";
    case AttributeKind::Integers:
        return "a list of integers";
    case AttributeKind::Numbers:
        return "a list of numbers";
    case AttributeKind::Texts:
        return "a list of texts";
    case AttributeKind::Tensor:
        return "a tensor";
    }
    return "";
}

/// An integer is a number, too, and an empty list may be one of anything.
bool fits(AttributeKind kind, const Attribute &attribute) {
    const auto *integers = std::get_if<std::vector<int64_t>>(&attribute);
    const auto *numbers = std::get_if<std::vector<double>>(&attribute);
    const bool empty = (integers && integers->empty()) || (numbers && numbers->empty());
    switch (kind) {
    case AttributeKind::Integer:
        return std::holds_alternative<int64_t>(attribute);
    case AttributeKind::Number:
        return std::holds_alternative<double>(attribute) || std::holds_alternative<int64_t>(attribute);
    case AttributeKind::Text:
        return std::holds_alternative<std::string>(attribute);
    case AttributeKind::Integers:
        return integers || empty;
    case AttributeKind::Numbers:
        return numbers || integers;
    case AttributeKind::Texts:
        return std::holds_alternative<std::vector<std::string>>(attribute) || empty;
    case AttributeKind::Tensor:
        return std::holds_alternative<HostTensor>(attribute);
    }
    return false;
}

std::vector<std::string> attributeNames(const Operator &of) {
    std::vector<std::string> names;
    for (const AttributeSpec &spec : of.attributes) names.push_back(spec.name);
    return names;
}

std::string countText(size_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string allowedText(size_t minCount, size_t maxCount, std::string_view what) {
    if (minCount == maxCount) return countText(minCount, what);
    if (maxCount == SIZE_MAX) return fmt::format("at least {}", countText(minCount, what));
    return fmt::format("{} to {}", minCount, countText(maxCount, what));
}

void checkInputs(const Node &node, const Operator &of, std::vector<std::string> &sentences) {
    const bool any = !of.inputs.empty() && of.inputs.back().variadic;
    const size_t maxCount = any ? SIZE_MAX : of.inputs.size();
    const auto minCount = static_cast<size_t>(
        std::count_if(of.inputs.begin(), of.inputs.end(), [](const InputSpec &spec) { return !spec.optional; }));
    if (node.inputs.size() < minCount || node.inputs.size() > maxCount) {
        sentences.push_back(fmt::format("{} has {}, it takes {}", nodeText(node),
                                        countText(node.inputs.size(), "input"),
                                        allowedText(minCount, maxCount, "input")));
        return;
    }
    for (size_t i = 0; i < node.inputs.size(); ++i) {
        const InputSpec &spec = of.inputs[std::min(i, of.inputs.size() - 1)];
        if (node.inputs[i].value < 0 && !spec.optional)
            sentences.push_back(fmt::format("{}: input {} is left out, it is needed", nodeText(node), spec.name));
    }
}

} // namespace

std::vector<std::string> problemsOf(const Node &node, const Operator &of) {
    std::vector<std::string> sentences;
    checkInputs(node, of, sentences);
    if (node.outputs.size() < of.minOutputs || node.outputs.size() > of.maxOutputs)
        sentences.push_back(fmt::format("{} has {}, it has to have {}", nodeText(node),
                                        countText(node.outputs.size(), "output"),
                                        allowedText(of.minOutputs, of.maxOutputs, "output")));
    for (const auto &[name, attribute] : node.attributes) {
        const auto spec = std::find_if(of.attributes.begin(), of.attributes.end(),
                                       [&](const AttributeSpec &known) { return known.name == name; });
        if (spec == of.attributes.end())
            sentences.push_back(
                fmt::format("{} has no attribute '{}'{}", nodeText(node), name, suggestion(name, attributeNames(of))));
        else if (!fits(spec->kind, attribute))
            sentences.push_back(
                fmt::format("{}: attribute {} has to be {}", nodeText(node), name, kindText(spec->kind)));
    }
    for (const AttributeSpec &spec : of.attributes)
        if (!spec.fallback && !node.attributes.contains(spec.name))
            sentences.push_back(
                fmt::format("{}: attribute {} is missing, it is {}", nodeText(node), spec.name, kindText(spec.kind)));
    return sentences;
}

std::string unknownOperatorText(const Node &node) {
    std::vector<std::string> names;
    for (const Operator *of : allOperators()) names.push_back(of->name);
    return fmt::format("{}: there is no operator '{}'{}", nodeText(node), node.op, suggestion(node.op, names));
}

} // namespace loopscope
