#include "dispatch/kernel_families.h"

#include "op_compute/kernel_dag.h"
#include "partition/tasks.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <mutex>
#include <set>

namespace loopscope {

namespace {

/// Functions with numbers, made once for all kernels.
class NumberedFunctions {
  public:
    NumberedFunctions(FunctionPtr function, std::string symbol)
        : m_function(std::move(function)), m_symbol(std::move(symbol)) {}

    FunctionPtr at(int64_t size) {
        const std::lock_guard lock(m_mutex);
        FunctionPtr &found = m_bySize[size];
        if (found == nullptr) found = withNumbers(*m_function, {{m_symbol, size}});
        return found;
    }

  private:
    FunctionPtr m_function;
    std::string m_symbol;
    std::mutex m_mutex;
    std::map<int64_t, FunctionPtr> m_bySize;
};

bool dependsOn(const GraphFunction &function, const Kernel &kernel) {
    const auto open = [&](ValueId value) {
        return std::ranges::any_of(function.type(value).dims, [](const Dim &dim) { return !dim.isConstant(); });
    };
    return std::ranges::any_of(kernel.inputs, open) || std::ranges::any_of(kernel.outputs, open);
}

} // namespace

FunctionPtr withNumbers(const GraphFunction &function, const std::map<std::string, int64_t, std::less<>> &numbers) {
    FunctionParts parts;
    parts.name = function.name();
    parts.parameters = function.parameters();
    parts.results = function.results();
    parts.blocks = function.blocks();
    std::map<std::string, Dim, std::less<>> dims;
    for (const auto &[name, number] : numbers) dims.emplace(name, Dim(number));
    for (size_t v = 0; v < function.valueCount(); ++v) {
        Value value = function.value(ValueId(v));
        if (value.type)
            for (Dim &dim : value.type->dims)
                if (auto known = dim.substituted(dims)) dim = *std::move(known);
        parts.values.push_back(std::move(value));
    }
    return GraphFunction::fromParts(std::move(parts));
}

Outcome<std::string> onlySymbol(const GraphFunction &function) {
    std::set<std::string> symbols;
    for (const ValueId parameter : function.parameters())
        for (const Dim &dim : function.type(parameter).dims)
            for (std::string &symbol : dim.symbols()) symbols.insert(std::move(symbol));
    if (symbols.size() == 1) return *symbols.begin();
    if (symbols.empty())
        return Refusal{"all dims of the network's inputs are numbers; tables are for one whose inputs have a symbol "
                       "among their dims"};
    return Refusal{fmt::format("the network has the symbols {}; tables are for one, so give numbers to the others "
                               "(--dim {}=N)",
                               fmt::join(symbols, ", "), *symbols.begin())};
}

Partition withoutOpenJoins(const GraphFunction &function, Partition partition) {
    for (Kernel &kernel : partition.kernels) {
        if (!kernel.joins || !dependsOn(function, kernel)) continue;
        kernel.joins = false;
        kernel.whyCopied = "the sizes of its parts are open";
    }
    return partition;
}

Outcome<std::vector<NetworkFamily>> kernelFamilies(const FunctionPtr &function, const Partition &partition,
                                                   int64_t bound, const Target &target) {
    auto symbol = onlySymbol(*function);
    if (!symbol) return symbol.refusal();
    const auto functions = std::make_shared<NumberedFunctions>(function, *symbol);
    std::vector<NetworkFamily> families;
    for (const NetworkTask &task : networkTasks(*function, partition)) {
        const Kernel &kernel = partition.kernels[task.kernels.front()];
        if (!kernel.runs() || !dependsOn(*function, kernel)) continue;
        NetworkFamily one;
        one.kernels = task.kernels;
        one.weight = task.weight;
        one.family.name = kernel.name;
        one.family.symbol = *symbol;
        one.family.bound = bound;
        one.family.target = target;
        one.family.constants.assign(kernel.inputs.size() + kernel.outputs.size(), false);
        for (size_t i = 0; i < kernel.inputs.size(); ++i)
            one.family.constants[i] = std::ranges::all_of(
                task.kernels, [&](size_t k) { return function->isConstant(partition.kernels[k].inputs[i]); });
        one.family.dagAt = [functions, kernel](int64_t size) {
            return computeDagOf(*functions->at(size), kernel.nodes, kernel.inputs, kernel.outputs, kernel.name);
        };
        if (const auto dag = one.family.dagAt(bound); !dag) return dag.refusal();
        families.push_back(std::move(one));
    }
    if (families.empty()) return Refusal{fmt::format("no kernel of the network depends on {}", *symbol)};
    return families;
}

} // namespace loopscope
