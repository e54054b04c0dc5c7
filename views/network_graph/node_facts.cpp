// What one node does, in words and numbers.

#include "networks/op/operator.h"
#include "views/network_graph/network_facts.h"
#include "views/session/text.h"

#include <algorithm>
#include <type_traits>

namespace loopscope {

namespace {

constexpr size_t kMaxShown = 12; // numbers of one attribute

template <typename List, typename Word> QString listWords(const List &list, Word word) {
    QStringList words;
    for (size_t i = 0; i < std::min(kMaxShown, list.size()); ++i) words << word(list[i]);
    if (list.size() > kMaxShown) words << QStringLiteral("\u2026");
    return words.isEmpty() ? QStringLiteral("none") : words.join(QStringLiteral(", "));
}

const std::vector<int64_t> *integers(const Node &node, const char *name) {
    const auto found = node.attributes.find(name);
    return found == node.attributes.end() ? nullptr : std::get_if<std::vector<int64_t>>(&found->second);
}

std::optional<int64_t> integer(const Node &node, const char *name) {
    const auto found = node.attributes.find(name);
    const auto *value = found == node.attributes.end() ? nullptr : std::get_if<int64_t>(&found->second);
    return value == nullptr ? std::nullopt : std::optional(*value);
}

std::optional<std::vector<int64_t>> staticDims(const GraphFunction &function, const Node &node, size_t input) {
    if (input >= node.inputs.size() || node.inputs[input].value < 0) return std::nullopt;
    const auto &type = function.value(node.inputs[input]).type;
    return type ? constantDims(type->dims) : std::nullopt;
}

/// "2" of {2, 2}; "2 × 1" of {2, 1}.
QString extentsWords(const std::vector<int64_t> &extents) {
    if (!extents.empty() && std::ranges::all_of(extents, [&](int64_t e) { return e == extents.front(); }))
        return QString::number(extents.front());
    return shapeText(extents);
}

bool allAre(const std::vector<int64_t> &list, int64_t value) {
    return std::ranges::all_of(list, [value](int64_t e) { return e == value; });
}

double product(const std::vector<int64_t> &dims, size_t from = 0) {
    double all = 1;
    for (size_t i = from; i < dims.size(); ++i) all *= static_cast<double>(dims[i]);
    return all;
}

bool movesOnly(const std::string &op) {
    static const std::set<std::string, std::less<>> list{
        "identity",       "reshape",         "flatten",   "transpose",         "concat", "split",   "slice",
        "gather",         "gather_elements", "unsqueeze", "squeeze",           "expand", "pad",     "tile",
        "depth_to_space", "space_to_depth",  "shape",     "constant_of_shape", "range",  "dropout", "cast"};
    return list.contains(op);
}

} // namespace

QString dimsWords(const Dims &dims) {
    QStringList words;
    for (const Dim &dim : dims) words << qt(dim.text());
    return words.isEmpty() ? QStringLiteral("scalar") : words.join(QStringLiteral(" \u00d7 "));
}

QString attributeWords(const Attribute &attribute) {
    return std::visit(
        [](const auto &value) -> QString {
            using Value = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<Value, int64_t>)
                return QString::number(value);
            else if constexpr (std::is_same_v<Value, double>)
                return QString::number(value, 'g', 6);
            else if constexpr (std::is_same_v<Value, std::string>)
                return qt(value);
            else if constexpr (std::is_same_v<Value, std::vector<int64_t>>)
                return listWords(value, [](int64_t v) { return QString::number(v); });
            else if constexpr (std::is_same_v<Value, std::vector<double>>)
                return listWords(value, [](double v) { return QString::number(v, 'g', 6); });
            else if constexpr (std::is_same_v<Value, std::vector<std::string>>)
                return listWords(value, [](const std::string &v) { return qt(v); });
            else
                return QStringLiteral("%1 %2").arg(qt(dtypeName(value.dtype())), shapeText(value.dims()));
        },
        attribute);
}

QString attributeSummary(const GraphFunction &function, const Node &node) {
    QStringList words;
    if (node.op == "conv" || node.op == "conv_transpose") {
        if (const auto weight = staticDims(function, node, 1); weight && weight->size() > 2)
            words << shapeText({weight->begin() + 2, weight->end()});
    }
    if (const auto *kernel = integers(node, "kernel")) words << shapeText(*kernel);
    if (const auto *strides = integers(node, "strides"); strides != nullptr && !allAre(*strides, 1))
        words << QStringLiteral("stride %1").arg(extentsWords(*strides));
    if (const auto *pads = integers(node, "pads"); pads != nullptr && !allAre(*pads, 0))
        words << QStringLiteral("pad %1").arg(allAre(*pads, pads->front()) ? QString::number(pads->front())
                                                                           : attributeWords(*pads));
    if (const auto *dilations = integers(node, "dilations"); dilations != nullptr && !allAre(*dilations, 1))
        words << QStringLiteral("dilation %1").arg(extentsWords(*dilations));
    if (const auto group = integer(node, "group"); group && *group != 1)
        words << QStringLiteral("%1 groups").arg(*group);
    for (const char *name : {"axis", "axes", "permutation", "size", "to", "mode"})
        if (const auto found = node.attributes.find(name); found != node.attributes.end() && words.size() < 3)
            words << QStringLiteral("%1 %2").arg(QLatin1String(name), attributeWords(found->second));
    return words.join(QStringLiteral(", "));
}

double flopsOf(const GraphFunction &function, const Node &node) {
    if (node.outputs.empty() || movesOnly(node.op)) return 0;
    const auto &type = function.value(node.outputs[0]).type;
    const auto out = type ? constantDims(type->dims) : std::nullopt;
    if (!out) return 0;
    const double elements = product(*out);
    if (node.op == "conv" || node.op == "conv_transpose") {
        const auto weight = staticDims(function, node, 1);
        if (!weight || weight->size() < 2) return 0;
        // Of a transposed one the terms are counted by what is read.
        const auto in = staticDims(function, node, 0);
        return node.op == "conv" ? 2 * elements * product(*weight, 1) : in ? 2 * product(*in) * product(*weight, 1) : 0;
    }
    if (node.op == "dense" || node.op == "matmul" || node.op == "gemm") {
        const auto a = staticDims(function, node, 0);
        if (!a || a->empty()) return 0;
        const bool turned = node.op == "gemm" && integer(node, "trans_a").value_or(0) != 0;
        return 2 * elements * static_cast<double>(turned ? a->front() : a->back());
    }
    if (const auto *kernel = integers(node, "kernel")) return elements * product(*kernel);
    if (node.op.starts_with("reduce_") || node.op.starts_with("global_") || node.op.starts_with("arg")) {
        const auto in = staticDims(function, node, 0);
        return in ? product(*in) : 0;
    }
    return elements;
}

Role boxColor(BoxKind kind) {
    switch (kind) {
    case BoxKind::Input:
        return Role::Placeholder;
    case BoxKind::Output:
        return Role::Output;
    case BoxKind::Heavy:
        return Role::Compute;
    case BoxKind::Elementwise:
        return Role::Vector;
    case BoxKind::Movement:
        return Role::QuietText;
    case BoxKind::Reduction:
        return Role::Reduction;
    case BoxKind::Other:
        return Role::Warning;
    }
    return Role::QuietText;
}

QString boxMeaning(BoxKind kind) {
    switch (kind) {
    case BoxKind::Input:
        return QStringLiteral("input of the network");
    case BoxKind::Output:
        return QStringLiteral("output of the network");
    case BoxKind::Heavy:
        return QStringLiteral("convolution, product, pooling");
    case BoxKind::Elementwise:
        return QStringLiteral("element by element, broadcast");
    case BoxKind::Movement:
        return QStringLiteral("puts elements elsewhere");
    case BoxKind::Reduction:
        return QStringLiteral("reduction");
    case BoxKind::Other:
        return QStringLiteral("never fused with others");
    }
    return {};
}

} // namespace loopscope
