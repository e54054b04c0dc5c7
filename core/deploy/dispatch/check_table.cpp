#include "deploy/dispatch/check_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace loopscope {

namespace {

/// The variant made anew from its schedule; nothing, with the reason, where it is not what the table was made with.
std::optional<GeneralKernel> sameVariant(const KernelFamily &family, const TableVariant &variant, std::string &why) {
    std::vector<GeneralKernel> made;
    if (variant.only != 0) {
        if (variant.only < 1 || variant.only > family.bound) {
            why = fmt::format("it is for {} = {}, which is no size", family.symbol, variant.only);
            return std::nullopt;
        }
        auto kernel = fixedKernel(family, variant.steps, variant.only);
        if (!kernel)
            why = kernel.why();
        else
            made.push_back(std::move(kernel).value());
    } else {
        auto kernels = generalise(family, variant.steps);
        if (!kernels)
            why = kernels.why();
        else
            made = std::move(kernels).value();
    }
    if (made.empty()) return std::nullopt;
    for (GeneralKernel &kernel : made)
        if (kernel.hash == variant.hash) return std::move(kernel);
    why = fmt::format("its schedule is now a program with hash {}", made.front().hash);
    return std::nullopt;
}

/// Sizes from the first that a variant does not hold for, of each row one.
void checkGuards(const KernelTable &kernel, const std::vector<std::optional<GeneralKernel>> &variants,
                 const std::string &symbol, int64_t bound, std::vector<std::string> &problems) {
    std::vector<bool> told(kernel.rows.size() + 1, false);
    for (int64_t size = 1; size <= bound; ++size) {
        size_t row = 0;
        while (row < kernel.rows.size() && !kernel.rows[row].guard.holds(size)) ++row;
        const size_t variant = row < kernel.rows.size() ? kernel.rows[row].variant : kernel.otherwise;
        if (!variants[variant] || variants[variant]->holdsAt(size) || told[row]) continue;
        told[row] = true;
        const std::string guard = row < kernel.rows.size()
                                      ? fmt::format("the guard `{}`", kernel.rows[row].guard.text(symbol))
                                      : "the last row";
        problems.push_back(fmt::format("{} ({}): {} leads {} = {} to v{}, which does not hold there", kernel.name,
                                       kernel.node, guard, symbol, size, variant));
    }
}

} // namespace

std::string nodeOf(const NetworkFamily &family, const GraphFunction &function, const Partition &partition) {
    return function.node(partition.kernels[family.kernels.front()].nodes.front()).name;
}

std::vector<std::string> mismatchesOf(const DispatchTable &table, const std::vector<NetworkFamily> &families,
                                      const GraphFunction &function, const Partition &partition) {
    std::vector<std::string> problems;
    const KernelFamily &any = families.front().family;
    if (any.target.text() != table.target)
        problems.push_back(
            fmt::format("the table is for the target `{}`, this is `{}`", table.target, any.target.text()));
    if (any.symbol != table.symbol)
        problems.push_back(fmt::format("the table is over {}, the network's symbol is {}", table.symbol, any.symbol));
    if (!problems.empty()) return problems;
    for (const NetworkFamily &one : families) {
        const std::string node = nodeOf(one, function, partition);
        const auto kernel = std::ranges::find(table.kernels, node, &KernelTable::node);
        if (kernel == table.kernels.end()) {
            problems.push_back(fmt::format("the table has no kernel at {} ({})", node, one.family.name));
            continue;
        }
        const auto dag = one.family.dagAt(table.bound);
        if (!dag || (*dag)->key() != kernel->key)
            problems.push_back(
                fmt::format("{} ({}) is of another network: its task has another key", kernel->name, node));
    }
    for (const KernelTable &kernel : table.kernels)
        if (std::ranges::none_of(
                families, [&](const NetworkFamily &one) { return nodeOf(one, function, partition) == kernel.node; }))
            problems.push_back(
                fmt::format("{} ({}) of the table is no kernel of the network", kernel.name, kernel.node));
    return problems;
}

std::vector<std::string> problemsOf(const DispatchTable &table, const std::vector<NetworkFamily> &families,
                                    const GraphFunction &function, const Partition &partition) {
    std::vector<std::string> problems = mismatchesOf(table, families, function, partition);
    const KernelFamily &any = families.front().family;
    if (any.target.text() != table.target || any.symbol != table.symbol) return problems;
    for (const NetworkFamily &one : families) {
        const auto kernel = std::ranges::find(table.kernels, nodeOf(one, function, partition), &KernelTable::node);
        if (kernel == table.kernels.end()) continue;
        const auto dag = one.family.dagAt(table.bound);
        if (!dag || (*dag)->key() != kernel->key) continue;
        std::vector<std::optional<GeneralKernel>> variants;
        for (size_t v = 0; v < kernel->variants.size(); ++v) {
            std::string why;
            variants.push_back(sameVariant(one.family, kernel->variants[v], why));
            if (!variants.back())
                problems.push_back(fmt::format("{} ({}): v{} is stale, it had the hash {}: {}", kernel->name,
                                               kernel->node, v, kernel->variants[v].hash, why));
        }
        checkGuards(*kernel, variants, table.symbol, table.bound, problems);
    }
    return problems;
}

} // namespace loopscope
