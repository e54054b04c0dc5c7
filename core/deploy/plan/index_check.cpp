#include "deploy/plan/index_check.h"

#include "base/check.h"
#include "language/tensor/compare.h"
#include "networks/op/operator_use.h"
#include "networks/op_compute/kernel_dag.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace loopscope {

namespace {

int64_t attributeOf(const Node &node, const char *name) {
    const auto at = node.attributes.find(name);
    return at == node.attributes.end() ? 0 : std::get<int64_t>(at->second);
}

/// Without the argument.
std::optional<IndexCheck> checkOf(const GraphFunction &function, const Node &node) {
    if (!readsByIndex(node)) return std::nullopt;
    const auto data = constantDims(function.type(node.inputs[0]).dims);
    auto dims = constantDims(function.type(node.inputs[1]).dims);
    LOOPSCOPE_CHECK(data && dims, "kernels are made for known sizes");
    IndexCheck check;
    check.dtype = function.type(node.inputs[1]).dtype;
    size_t count = 1;
    if (node.op == "gather_nd") {
        check.axis = static_cast<size_t>(attributeOf(node, "batch_dims"));
        count = static_cast<size_t>(dims->back());
    } else {
        check.axis = axisIn(attributeOf(node, "axis"), data->size()).value_or(0);
    }
    const auto first = data->begin() + static_cast<std::ptrdiff_t>(check.axis);
    check.extents.assign(first, first + static_cast<std::ptrdiff_t>(count));
    check.dims = *std::move(dims);
    check.node = nodeText(node);
    check.data = fmt::format("[{}]", fmt::join(*data, ", "));
    return check;
}

template <typename T> int64_t firstOutside(const IndexCheck &check, const T *indices) {
    const int64_t count = elementCount(check.dims);
    if (check.extents.size() == 1) {
        // Least and greatest first: a loop without a way out is a few instructions for many indices.
        T least = 0;
        T greatest = 0;
        for (int64_t i = 0; i < count; ++i) {
            least = std::min(least, indices[i]);
            greatest = std::max(greatest, indices[i]);
        }
        const int64_t extent = check.extents[0];
        if (static_cast<int64_t>(least) >= -extent && static_cast<int64_t>(greatest) < extent) return count;
    }
    for (int64_t i = 0; i < count; ++i) {
        const int64_t extent = check.extents[static_cast<size_t>(i) % check.extents.size()];
        if (indices[i] < -extent || indices[i] >= extent) return i;
    }
    return count;
}

} // namespace

std::vector<IndexCheck> indexChecksOf(const GraphFunction &function, const Kernel &kernel) {
    std::vector<IndexCheck> checks;
    for (const NodeId id : kernel.nodes) {
        auto check = checkOf(function, function.node(id));
        if (!check || function.isConstant(function.node(id).inputs[1])) continue;
        const auto at = std::find(kernel.inputs.begin(), kernel.inputs.end(), function.node(id).inputs[1]);
        if (at == kernel.inputs.end()) continue; // only the shape of what it gives is read
        check->argument = static_cast<size_t>(at - kernel.inputs.begin());
        checks.push_back(*std::move(check));
    }
    return checks;
}

std::optional<Refusal> wrongConstantIndex(const GraphFunction &function) {
    for (size_t n = 0; n < function.nodeCount(); ++n) {
        const Node &node = function.node(NodeId(n));
        if (!readsByIndex(node) || !function.isConstant(node.inputs[1])) continue;
        const HostTensor indices = function.constant(node.inputs[1])->dense();
        const auto check = checkOf(function, node);
        if (indices.elements() == 0) continue;
        if (auto sentence = outside(*check, indices.bytes())) return Refusal{*std::move(sentence)};
    }
    return std::nullopt;
}

std::optional<std::string> outside(const IndexCheck &check, const void *indices) {
    const bool wide = check.dtype == DType::Int64;
    LOOPSCOPE_CHECK(wide || check.dtype == DType::Int32, "indices are int32 or int64");
    const int64_t at = wide ? firstOutside(check, static_cast<const int64_t *>(indices))
                            : firstOutside(check, static_cast<const int32_t *>(indices));
    if (at == elementCount(check.dims)) return std::nullopt;
    const int64_t index =
        wide ? static_cast<const int64_t *>(indices)[at] : int64_t{static_cast<const int32_t *>(indices)[at]};
    const size_t turn = static_cast<size_t>(at) % check.extents.size();
    return fmt::format("{}: index {} at {} of the indices is outside of axis {} "
                       "of x {}: it is from {} to {}",
                       check.node, index, elementText(at, check.dims), check.axis + turn, check.data,
                       -check.extents[turn], check.extents[turn] - 1);
}

void checkIndices(std::span<const IndexCheck> checks, void *const *arguments) {
    for (const IndexCheck &check : checks)
        if (const auto sentence = outside(check, arguments[check.argument])) throw Error(*sentence);
}

} // namespace loopscope
