#include "networks/passes/node_attributes.h"

#include "base/check.h"
#include "networks/op/operator.h"

#include <algorithm>
#include <cstring>

namespace loopscope {

namespace {

const Attribute *attributeOrDefault(const Node &node, std::string_view name) {
    if (const auto at = node.attributes.find(name); at != node.attributes.end()) return &at->second;
    const Operator *entry = findOperator(node.op);
    if (!entry) return nullptr;
    const auto spec = std::find_if(entry->attributes.begin(), entry->attributes.end(),
                                   [&](const AttributeSpec &of) { return of.name == name; });
    return spec == entry->attributes.end() || !spec->fallback ? nullptr : &*spec->fallback;
}

template <typename T> const T &attributeAs(const Node &node, std::string_view name) {
    const Attribute *attribute = attributeOrDefault(node, name);
    LOOPSCOPE_CHECK(attribute && std::holds_alternative<T>(*attribute), node.op + "." + std::string(name));
    return std::get<T>(*attribute);
}

} // namespace

int64_t integerOf(const Node &node, std::string_view attribute) { return attributeAs<int64_t>(node, attribute); }
double numberOf(const Node &node, std::string_view name) {
    const Attribute *attribute = attributeOrDefault(node, name);
    if (attribute && std::holds_alternative<int64_t>(*attribute)) // stands for a number, too
        return static_cast<double>(std::get<int64_t>(*attribute));
    return attributeAs<double>(node, name);
}
std::vector<int64_t> integersOf(const Node &node, std::string_view attribute) {
    return attributeAs<std::vector<int64_t>>(node, attribute);
}

bool sameAttribute(const Attribute &a, const Attribute &b) {
    if (a.index() != b.index()) return false;
    if (const auto *tensor = std::get_if<HostTensor>(&a)) return tensor->sameAs(std::get<HostTensor>(b));
    if (const auto *number = std::get_if<double>(&a)) // bits: -0 is not 0
        return std::memcmp(number, &std::get<double>(b), sizeof *number) == 0;
    return std::visit(
        [&](const auto &value) {
            using T = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<T, HostTensor>)
                return false;
            else
                return value == std::get<T>(b);
        },
        a);
}

bool sameAttributes(const Node &a, const Node &b) {
    if (a.op != b.op) return false;
    const auto covered = [](const Node &of, const Node &by) {
        return std::all_of(of.attributes.begin(), of.attributes.end(), [&](const auto &attribute) {
            const Attribute *other = attributeOrDefault(by, attribute.first);
            return other && sameAttribute(attribute.second, *other);
        });
    };
    return covered(a, b) && covered(b, a);
}

std::vector<size_t> permutationOf(const Node &transpose, size_t rank) {
    const std::vector<int64_t> given = integersOf(transpose, "permutation");
    std::vector<size_t> permutation(rank);
    if (given.empty()) {
        for (size_t i = 0; i < rank; ++i) permutation[i] = rank - 1 - i;
        return permutation;
    }
    if (given.size() != rank) return {};
    for (size_t i = 0; i < rank; ++i) {
        const auto axis = axisIn(given[i], rank);
        if (!axis) return {};
        permutation[i] = *axis;
    }
    return permutation;
}

} // namespace loopscope
