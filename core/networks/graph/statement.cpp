#include "networks/graph/statement.h"

#include "networks/graph/module.h"

#include <array>
#include <fmt/format.h>
#include <utility>

namespace loopscope {

std::optional<StatementKind> statementKind(const Node &node) {
    static constexpr std::array<std::pair<std::string_view, StatementKind>, 8> kinds = {
        {{"if", StatementKind::If},
         {"loop", StatementKind::Loop},
         {"call", StatementKind::Call},
         {"match", StatementKind::Match},
         {"unique", StatementKind::Unique},
         {"cut", StatementKind::Cut},
         {"non_max_suppression", StatementKind::Suppression},
         {"packed", StatementKind::Packed}}};
    for (const auto &[name, kind] : kinds)
        if (node.op == name) return kind;
    return std::nullopt;
}

bool computesValue(StatementKind kind) {
    return kind == StatementKind::Unique || kind == StatementKind::Cut || kind == StatementKind::Suppression ||
           kind == StatementKind::Packed;
}

std::vector<std::string_view> regionAttributes(StatementKind kind) {
    switch (kind) {
    case StatementKind::If:
        return {"then", "else"};
    case StatementKind::Loop:
        return {"body"};
    case StatementKind::Call:
        return {"function"};
    case StatementKind::Match:
    case StatementKind::Unique:
    case StatementKind::Cut:
    case StatementKind::Suppression:
    case StatementKind::Packed:
        break;
    }
    return {};
}

std::string regionName(const Node &node, std::string_view attribute) {
    const auto at = node.attributes.find(attribute);
    if (at == node.attributes.end()) return {};
    const auto *name = std::get_if<std::string>(&at->second);
    return name ? *name : std::string();
}

std::optional<size_t> carriedCount(const Node &loop) {
    const auto at = loop.attributes.find("carried");
    if (at == loop.attributes.end()) return std::nullopt;
    const auto *count = std::get_if<int64_t>(&at->second);
    if (!count || *count < 0 || static_cast<uint64_t>(*count) > loop.inputs.size()) return std::nullopt;
    return static_cast<size_t>(*count);
}

std::optional<NodeId> firstStatement(const GraphFunction &function) {
    for (size_t i = 0; i < function.nodeCount(); ++i)
        if (statementKind(function.node(NodeId(i)))) return NodeId(i);
    return std::nullopt;
}

std::optional<std::string> firstStatementText(const Module &module) {
    for (const FunctionPtr &function : module.functions)
        if (const auto id = firstStatement(*function))
            return fmt::format("{} of function `{}`", nodeText(function->node(*id)), function->name());
    return std::nullopt;
}

} // namespace loopscope
