#include "passes/instruments/statistics.h"

#include <fmt/format.h>

namespace loopscope {

ModuleStatistics statisticsOf(const Module &module) {
    ModuleStatistics statistics;
    for (const FunctionPtr &function : module.functions) {
        statistics.nodes += function->nodeCount();
        for (size_t i = 0; i < function->nodeCount(); ++i) ++statistics.operators[function->node(NodeId(i)).op];
        for (size_t i = 0; i < function->valueCount(); ++i)
            if (const HostTensor *constant = function->constant(ValueId(i)))
                statistics.constantBytes +=
                    constant->isSplat() ? static_cast<uint64_t>(dtypeBytes(constant->dtype())) : constant->byteSize();
    }
    return statistics;
}

void StatisticsInstrument::enter(const Module &module) {
    m_rows.clear();
    m_now = statisticsOf(module);
}

PassInstrument::Verdict StatisticsInstrument::after(const PassInfo &info, const Module &before, const Module &after) {
    Row row = {info.name, m_now, m_now};
    if (before.functions != after.functions) row.after = statisticsOf(after);
    m_now = row.after;
    m_rows.push_back(std::move(row));
    return {};
}

std::string StatisticsInstrument::text() const {
    std::string text;
    for (const Row &row : m_rows) {
        if (row.before == row.after) continue;
        const auto delta = [](auto before, auto after) {
            return static_cast<int64_t>(after) - static_cast<int64_t>(before);
        };
        text +=
            fmt::format("{}: {:+} nodes, {:+} bytes of constants", row.pass, delta(row.before.nodes, row.after.nodes),
                        delta(row.before.constantBytes, row.after.constantBytes));
        std::map<std::string, int64_t> changes;
        for (const auto &[op, count] : row.before.operators) changes[op] -= static_cast<int64_t>(count);
        for (const auto &[op, count] : row.after.operators) changes[op] += static_cast<int64_t>(count);
        const char *separator = ": ";
        for (const auto &[op, change] : changes) {
            if (change == 0) continue;
            text += fmt::format("{}{} {:+}", separator, op, change);
            separator = ", ";
        }
        text += '\n';
    }
    return text;
}

} // namespace loopscope
