#include "deploy/vm/kernel_runner.h"

#include "networks/graph/dim_match.h"
#include "networks/graph/statement.h"
#include "networks/op/integer_division.h"
#include "networks/op/run_statements.h"

#include <fmt/format.h>
#include <new>

namespace loopscope {

Outcome<std::vector<WideTensor>> ReferenceKernels::run(const GraphFunction &function, const Node &node,
                                                       std::span<const WideTensor *const> inputs) {
    try {
        const auto kind = statementKind(node);
        if (dividesIntegers(node, inputs)) return evaluateDivision(function, node, inputs, m_pool, m_maxElements);
        if (!kind) return evaluateNode(node, inputs, m_pool, m_maxElements);
        if (*kind == StatementKind::Cut) {
            Node slice = node;
            slice.op = "slice";
            return evaluateNode(slice, inputs, m_pool, m_maxElements);
        }
        // What computes a value reads nothing of the run it is part of.
        const Module none;
        SymbolNumbers symbols;
        int64_t trips = 0;
        StatementRun run = {none, nullptr, symbols, trips, 0, m_maxElements, m_packed};
        return runStatement(function, node, inputs, run);
    } catch (const Error &error) {
        return Refusal{fmt::format("{}: {}", nodeText(node), error.sentence())};
    } catch (const std::bad_alloc &) {
        return Refusal{fmt::format("{}: there is not enough memory", nodeText(node))};
    }
}

} // namespace loopscope
