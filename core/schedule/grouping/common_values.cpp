#include "schedule/grouping/common_values.h"

#include "language/expr/walk.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

namespace loopscope {

namespace {

/// What a node is besides its operands.
uint64_t payloadOf(Expr e) {
    uint64_t payload = 0;
    switch (e->kind) {
    case ExprKind::Var:
        return reinterpret_cast<uintptr_t>(e.node());
    case ExprKind::FloatImm:
        std::memcpy(&payload, &e->floatValue, sizeof payload);
        return payload;
    case ExprKind::Load:
        return reinterpret_cast<uintptr_t>(e->symbol);
    default:
        return static_cast<uint64_t>(e->intValue);
    }
}

bool worthBinding(Expr e) {
    switch (e->kind) {
    case ExprKind::IntImm:
    case ExprKind::FloatImm:
    case ExprKind::Var:
        return false;
    case ExprKind::Cast:
        return worthBinding(e->arg(0));
    case ExprKind::Add:
    case ExprKind::Sub:
    case ExprKind::Mul:
    case ExprKind::Div:
    case ExprKind::FloorDiv:
        return !isImm(e->arg(0)) && !isImm(e->arg(1));
    default:
        return true;
    }
}

/// Numbers for the values in an expression: equal for equal values, operands before what they are operands of.
class ValueNumbers {
  public:
    int number(Expr e) {
        if (const int *seen = m_byNode.find(e)) return *seen;
        const size_t first = m_open.size();
        for (const Expr operand : e->operands()) {
            const int value = number(operand);
            m_open.push_back(value);
        }
        const std::span<const int> operands{m_open.data() + first, e->argCount};
        const int number = find(e, operands);
        m_open.resize(first);
        m_byNode.set(e, number);
        return number;
    }

    /// How often each value that is worth binding is asked for.
    void countUses(int root) {
        m_uses.assign(m_values.size(), 0);
        m_visited.assign(m_values.size(), false);
        count(root);
    }

    Expr bound(int root) {
        m_vars.assign(m_values.size(), Expr());
        m_rebuilt.assign(m_values.size(), Expr());
        std::vector<size_t> lets;
        for (size_t i = 0; i < m_values.size(); ++i) {
            if (m_uses[i] < 2) continue;
            m_vars[i] = makeVar("t" + std::to_string(lets.size()), m_values[i]->dtype);
            lets.push_back(i);
        }
        Expr body = rebuilt(root, true);
        for (size_t i = lets.size(); i-- > 0;)
            body = makeLet(m_vars[lets[i]], rebuilt(static_cast<int>(lets[i]), false), body);
        return body;
    }

  private:
    [[nodiscard]] std::span<const int> operandsOf(size_t value) const {
        return {m_operands.data() + m_firstOperand[value], m_values[value]->argCount};
    }

    int find(Expr e, std::span<const int> operands) {
        if (2 * (m_values.size() + 1) > m_table.size()) {
            m_table.assign(m_table.size() * 4, -1);
            for (size_t i = 0; i < m_values.size(); ++i)
                m_table[place(m_values[i], operandsOf(i))] = static_cast<int>(i);
        }
        int &entry = m_table[place(e, operands)];
        if (entry >= 0) return entry;
        entry = static_cast<int>(m_values.size());
        OperandList canonical;
        for (const int operand : operands) canonical.add(m_values[static_cast<size_t>(operand)]);
        m_firstOperand.push_back(m_operands.size());
        m_operands.insert(m_operands.end(), operands.begin(), operands.end());
        m_values.push_back(withOperands(e, canonical.all()));
        return entry;
    }

    [[nodiscard]] size_t place(Expr e, std::span<const int> operands) const {
        uint64_t hash = (payloadOf(e) + static_cast<uint64_t>(e->kind)) * 0x9e3779b97f4a7c15U;
        for (const int operand : operands)
            hash = (hash ^ static_cast<uint64_t>(operand) ^ (hash >> 29U)) * 0x9e3779b97f4a7c15U;
        const size_t mask = m_table.size() - 1;
        for (size_t at = static_cast<size_t>(hash >> 20U) & mask;; at = (at + 1) & mask) {
            if (m_table[at] < 0) return at;
            const auto i = static_cast<size_t>(m_table[at]);
            const Expr value = m_values[i];
            if (value->kind == e->kind && value->dtype == e->dtype && value->intrinsic == e->intrinsic &&
                payloadOf(value) == payloadOf(e) && std::ranges::equal(operandsOf(i), operands))
                return at;
        }
    }

    void count(int value) {
        const auto i = static_cast<size_t>(value);
        if (worthBinding(m_values[i])) {
            ++m_uses[i];
            if (m_visited[i]) return;
            m_visited[i] = true;
        }
        for (const int operand : operandsOf(i)) count(operand);
    }

    Expr rebuilt(int value, bool asVariable) {
        const auto i = static_cast<size_t>(value);
        if (asVariable && m_vars[i]) return m_vars[i];
        if (m_rebuilt[i]) return m_rebuilt[i];
        OperandList operands;
        for (const int operand : operandsOf(i)) operands.add(rebuilt(operand, true));
        m_rebuilt[i] = withOperands(m_values[i], operands.all());
        return m_rebuilt[i];
    }

    NodeMap<int> m_byNode;
    std::vector<int> m_table = std::vector<int>(64, -1); // numbers, placed by what they stand for
    std::vector<int> m_open;                             // operands of the nodes being numbered
    std::vector<Expr> m_values;
    std::vector<size_t> m_firstOperand; // of a value, in:
    std::vector<int> m_operands;
    std::vector<int> m_uses;
    std::vector<bool> m_visited;
    std::vector<Expr> m_vars;
    std::vector<Expr> m_rebuilt;
};

class LetRemoval {
  public:
    Expr operator()(Expr e) {
        if (e->kind == ExprKind::Var) {
            const Expr *value = m_values.find(e);
            return value == nullptr || !*value ? e : *value;
        }
        if (const Expr *done = m_done.find(e)) return *done;
        Expr result;
        if (e->kind == ExprKind::Let) {
            const Expr value = (*this)(e->arg(1));
            // Nodes inside may have been met outside, where the variable means something else.
            NodeMap<Expr> outside = std::move(m_done);
            m_done.clear();
            const Expr *before = m_values.find(e->arg(0));
            const Expr shadowed = before == nullptr ? Expr() : *before;
            m_values.set(e->arg(0), value);
            result = (*this)(e->arg(2));
            m_values.set(e->arg(0), shadowed);
            m_done = std::move(outside);
        } else {
            OperandList operands;
            for (const Expr operand : e->operands()) operands.add((*this)(operand));
            result = withOperands(e, operands.all());
        }
        m_done.set(e, result);
        return result;
    }

  private:
    NodeMap<Expr> m_values; // null once their let is left
    NodeMap<Expr> m_done;
};

} // namespace

Expr SharedRewrite::operator()(Expr e) {
    if (const Expr *done = m_done.find(e)) return *done;
    Expr result = rewrittenWhole(e);
    if (!result) {
        OperandList operands;
        for (const Expr operand : e->operands()) operands.add((*this)(operand));
        result = rewritten(withOperands(e, operands.all()), e);
    }
    m_done.set(e, result);
    return result;
}

Expr withoutLets(Expr e) { return LetRemoval()(e); }

Expr sharedValues(Expr e) { return sharedOpenValues(withoutLets(e)); }

Expr sharedOpenValues(Expr e) {
    ValueNumbers numbers;
    const int root = numbers.number(e);
    numbers.countUses(root);
    return numbers.bound(root);
}

} // namespace loopscope
