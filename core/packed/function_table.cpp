#include "packed/function_table.h"

#include "nearest_name.h"

#include <fmt/format.h>
#include <utility>

namespace loopscope {

std::optional<Refusal> FunctionTable::add(PackedFunction function) {
    if (find(function.name()) != nullptr)
        return Refusal{fmt::format("there is a function {} already; names in a table differ", function.name())};
    std::string name = function.name();
    m_functions.emplace(std::move(name), std::move(function));
    return std::nullopt;
}

const PackedFunction *FunctionTable::find(std::string_view name) const {
    const auto at = m_functions.find(name);
    return at == m_functions.end() ? nullptr : &at->second;
}

std::vector<std::string> FunctionTable::names() const {
    std::vector<std::string> names;
    for (const auto &[name, function] : m_functions) names.push_back(name);
    return names;
}

Outcome<PackedArgument> FunctionTable::call(std::string_view name, std::span<const PackedArgument> arguments) const {
    if (const PackedFunction *function = find(name)) return function->call(arguments);
    return Refusal{fmt::format("there is no function {} in the table of {}{}", name, m_functions.size(),
                               suggestion(name, names()))};
}

} // namespace loopscope
