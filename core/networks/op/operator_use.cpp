#include "networks/op/operator_use.h"

#include "base/check.h"
#include "networks/op/operator.h"

#include <algorithm>
#include <fmt/format.h>

namespace loopscope {

const Attribute &OperatorUse::attribute(std::string_view name) const {
    if (const auto at = m_node.attributes.find(name); at != m_node.attributes.end()) return at->second;
    const auto spec = std::find_if(m_operator.attributes.begin(), m_operator.attributes.end(),
                                   [&](const AttributeSpec &of) { return of.name == name; });
    LOOPSCOPE_CHECK(spec != m_operator.attributes.end() && spec->fallback, fmt::format("{}.{}", m_operator.name, name));
    return *spec->fallback;
}

int64_t OperatorUse::integer(std::string_view name) const { return std::get<int64_t>(attribute(name)); }
double OperatorUse::number(std::string_view name) const {
    const Attribute &given = attribute(name);
    if (const auto *integer = std::get_if<int64_t>(&given)) return static_cast<double>(*integer);
    return std::get<double>(given);
}
const std::string &OperatorUse::text(std::string_view name) const { return std::get<std::string>(attribute(name)); }
std::vector<int64_t> OperatorUse::integers(std::string_view name) const {
    const Attribute &given = attribute(name);
    if (const auto *empty = std::get_if<std::vector<double>>(&given); empty && empty->empty()) return {};
    return std::get<std::vector<int64_t>>(given);
}
std::vector<double> OperatorUse::numbers(std::string_view name) const {
    const Attribute &given = attribute(name);
    if (const auto *integers = std::get_if<std::vector<int64_t>>(&given)) return {integers->begin(), integers->end()};
    return std::get<std::vector<double>>(given);
}
const HostTensor &OperatorUse::tensor(std::string_view name) const { return std::get<HostTensor>(attribute(name)); }

std::optional<size_t> axisIn(int64_t axis, size_t rank) {
    const auto size = static_cast<int64_t>(rank);
    if (axis < -size || axis >= size) return std::nullopt;
    return static_cast<size_t>(axis < 0 ? axis + size : axis);
}

} // namespace loopscope
