#include "networks/onnx/handlers.h"

#include "base/nearest_name.h"
#include "language/expr/half.h"
#include "networks/onnx/import.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace loopscope {

namespace {

using Family = std::span<const OnnxHandler> (*)();
constexpr Family kFamilies[] = {elementwiseHandlers, activationHandlers,    binaryHandlers,    windowHandlers,
                                matrixHandlers,      normalizationHandlers, reductionHandlers, shapeHandlers,
                                joiningHandlers,     resizeHandlers,        einsumHandlers,    derivedHandlers,
                                constantHandlers,    sortingHandlers};

struct KnownGap {
    std::string_view begin; // of the operator's name
    std::string_view why;
};
constexpr KnownGap kGaps[] = {
    {"Scan", "is not supported; Loop is, as which every Scan can be written"},
    {"Sequence", "works on sequences; only tensors are supported"},
    {"SplitToSequence", "works on sequences; only tensors are supported"},
    {"ConcatFromSequence", "works on sequences; only tensors are supported"},
    {"Optional", "works on optional values; only tensors are supported"},
    {"String", "works on text; only numbers are supported"},
    {"Quantize", "is quantised; networks are supported in floating point"},
    {"Dequantize", "is quantised; networks are supported in floating point"},
    {"DynamicQuantize", "is quantised; networks are supported in floating point"},
    {"QLinear", "is quantised; networks are supported in floating point"},
    {"ConvInteger", "is quantised; networks are supported in floating point"},
    {"MatMulInteger", "is quantised; networks are supported in floating point"},
    {"Random", "draws random numbers; networks here give the same answer for the same input"},
    {"LSTM", "is recurrent; recurrent layers are not supported"},
    {"GRU", "is recurrent; recurrent layers are not supported"},
    {"RNN", "is recurrent; recurrent layers are not supported"},
};

/// "axis:i" taken apart.
struct AttributeRule {
    std::string_view name;
    char kind = 'i';
    std::vector<std::string_view> values; // empty: any
};

std::vector<std::string_view> splitAt(std::string_view text, char at) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const size_t end = std::min(text.find(at), text.size());
        if (end > 0) parts.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

std::vector<AttributeRule> rulesOf(std::string_view attributes) {
    std::vector<AttributeRule> rules;
    for (const std::string_view word : splitAt(attributes, ' ')) {
        const size_t colon = word.find(':');
        AttributeRule rule = {word.substr(0, colon), word[colon + 1], {}};
        if (word.size() > colon + 2) rule.values = splitAt(word.substr(colon + 3), '|');
        rules.push_back(std::move(rule));
    }
    return rules;
}

struct AttributeKindName {
    char kind;
    onnx::AttributeProto_AttributeType type;
    std::string_view name;
};
constexpr AttributeKindName kKinds[] = {
    {'i', onnx::AttributeProto_AttributeType_INT, "an integer"},
    {'f', onnx::AttributeProto_AttributeType_FLOAT, "a number"},
    {'s', onnx::AttributeProto_AttributeType_STRING, "text"},
    {'t', onnx::AttributeProto_AttributeType_TENSOR, "a tensor"},
    {'I', onnx::AttributeProto_AttributeType_INTS, "a list of integers"},
    {'F', onnx::AttributeProto_AttributeType_FLOATS, "a list of numbers"},
    {'S', onnx::AttributeProto_AttributeType_STRINGS, "a list of texts"},
};

/// Files before version 2 of the format do not say of which kind an attribute is.
char kindOf(const onnx::AttributeProto &attribute, char wanted) {
    for (const auto &[kind, type, name] : kKinds)
        if (attribute.type() == type) return kind;
    if (attribute.type() != onnx::AttributeProto_AttributeType_UNDEFINED) return '?';
    if (attribute.has_i()) return 'i';
    if (attribute.has_f()) return 'f';
    if (attribute.has_s()) return 's';
    if (attribute.has_t()) return 't';
    if (attribute.ints_size() > 0) return 'I';
    if (attribute.floats_size() > 0) return 'F';
    if (attribute.strings_size() > 0) return 'S';
    return wanted == 'I' || wanted == 'F' ? wanted : '?'; // an empty list
}

std::string_view kindName(char kind) {
    for (const auto &[of, type, name] : kKinds)
        if (of == kind) return name;
    return "of a kind that no operator here has";
}

std::string wrongAttribute(const onnx::AttributeProto &attribute, std::string_view op,
                           const std::vector<AttributeRule> &rules) {
    const auto rule =
        std::find_if(rules.begin(), rules.end(), [&](const AttributeRule &of) { return of.name == attribute.name(); });
    if (rule == rules.end()) {
        if (rules.empty()) return fmt::format("attribute '{}' is unknown; {} has none", attribute.name(), op);
        std::vector<std::string> names;
        for (const AttributeRule &of : rules) names.emplace_back(of.name);
        return fmt::format("attribute '{}' is unknown{}; those of {} are {}", attribute.name(),
                           suggestion(attribute.name(), names), op, fmt::join(names, ", "));
    }
    if (!attribute.ref_attr_name().empty())
        return fmt::format("attribute '{}' stands for one of a function, outside of any", attribute.name());
    if (const char kind = kindOf(attribute, rule->kind); kind != rule->kind)
        return fmt::format("attribute '{}' is {}; it must be {}", attribute.name(), kindName(kind),
                           kindName(rule->kind));
    if (rule->values.empty()) return {};
    const std::string value = rule->kind == 'i' ? std::to_string(attribute.i()) : attribute.s();
    if (std::find(rule->values.begin(), rule->values.end(), value) != rule->values.end()) return {};
    return fmt::format("attribute '{}' is {}, which is not supported; supported is {}", attribute.name(), value,
                       fmt::join(rule->values, ", "));
}

} // namespace

Outcome<ValueId> widened(NodeImport &node, ValueId value) {
    const DType own = node.type(value).dtype;
    const DType wide = summedIn(own);
    if (own == wide) return value;
    return node.value("cast", {value}, {{"to", std::string(dtypeName(wide))}});
}

Translated finishRounded(NodeImport &node, std::string_view op, std::vector<ValueId> inputs, Attributes attributes) {
    const DType own = node.dtype(0);
    if (summedIn(own) == own) return node.finish(op, std::move(inputs), std::move(attributes));
    const auto wide = node.value(op, std::move(inputs), std::move(attributes));
    if (!wide) return wide.refusal();
    return node.finish("cast", {*wide}, {{"to", std::string(dtypeName(own))}});
}

Outcome<const OnnxHandler *> findHandler(const std::string &op, const std::string &domain, int64_t opset) {
    if (!domain.empty() && domain != "ai.onnx")
        return Refusal{
            fmt::format("the operator is of the domain '{}'; only ONNX's own operators are supported", domain)};
    const OnnxHandler *found = nullptr;
    int64_t first = INT64_MAX;
    for (const Family family : kFamilies)
        for (const OnnxHandler &handler : family()) {
            if (handler.op != op) continue;
            first = std::min(first, handler.since);
            if (handler.since <= opset && (!found || handler.since > found->since)) found = &handler;
        }
    // A row without a function says where an operator ends.
    if (found && found->translate) return found;
    if (found)
        return Refusal{fmt::format("there is no such operator from version {} of the operator set on", found->since)};
    if (first != INT64_MAX)
        return Refusal{fmt::format("there is no such operator before version {} of the operator set", first)};
    for (const KnownGap &gap : kGaps)
        if (op == gap.begin || (op.starts_with(gap.begin) && gap.begin.size() > 4))
            return Refusal{fmt::format("the operator {}", gap.why)};
    return Refusal{fmt::format("the operator is not supported{}", suggestion(op, importedOperators(opset)))};
}

std::vector<std::string> importedOperators(int64_t opset) {
    std::set<std::string> names;
    for (const Family family : kFamilies)
        for (const OnnxHandler &handler : family())
            if (handler.since <= opset && handler.translate) names.emplace(handler.op);
    std::erase_if(names, [&](const std::string &name) {
        int64_t since = 0;
        bool ended = false;
        for (const Family family : kFamilies)
            for (const OnnxHandler &handler : family())
                if (handler.op == name && handler.since <= opset && handler.since > since) {
                    since = handler.since;
                    ended = handler.translate == nullptr;
                }
        return ended;
    });
    names.insert({"If", "Loop"}); // networks/onnx/control_flow_import.h
    return {names.begin(), names.end()};
}

std::vector<std::string> wrongWith(const onnx::NodeProto &proto, const OnnxHandler &handler) {
    std::vector<std::string> wrong;
    auto inputs = static_cast<size_t>(proto.input_size());
    while (inputs > 0 && proto.input(static_cast<int>(inputs) - 1).empty()) --inputs;
    if (inputs < handler.minInputs)
        wrong.push_back(fmt::format("has {} inputs; it needs at least {}", inputs, handler.minInputs));
    if (inputs > handler.maxInputs)
        wrong.push_back(fmt::format("has {} inputs; it takes {} at most", inputs, handler.maxInputs));
    const size_t needed = handler.maxInputs == kAnyNumber ? inputs : std::min(inputs, handler.minInputs);
    for (size_t i = 0; i < needed; ++i)
        if (proto.input(static_cast<int>(i)).empty()) wrong.push_back(fmt::format("input {} is left out", i));
    if (proto.output_size() == 0 || proto.output(0).empty()) wrong.emplace_back("has no output");
    const std::vector<AttributeRule> rules = rulesOf(handler.attributes);
    std::set<std::string_view> seen;
    for (const auto &attribute : proto.attribute()) {
        if (!seen.insert(attribute.name()).second) {
            wrong.push_back(fmt::format("attribute '{}' is given twice", attribute.name()));
            continue;
        }
        if (std::string sentence = wrongAttribute(attribute, handler.op, rules); !sentence.empty())
            wrong.push_back(std::move(sentence));
    }
    return wrong;
}

} // namespace loopscope
