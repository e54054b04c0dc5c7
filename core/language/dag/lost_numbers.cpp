#include "language/dag/lost_numbers.h"

#include "language/expr/walk.h"
#include "language/te/scan.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace loopscope {

namespace {

using Vars = std::vector<Expr>;

/// A tensor with elements of rows: at which of its indices stands the row, and what runs along it.
struct Rows {
    std::vector<size_t> row;
    std::vector<size_t> along;
    bool told = false; // no number in a row makes all of it none here, along or not
};

/// Follows the extreme through its readers.
class Readers {
  public:
    Readers(const ComputeDag &dag, const Op &extreme) : m_dag(dag), m_extreme(extreme) {}

    bool allTold(size_t index) {
        if (isOutput(m_extreme)) return false;
        for (size_t i = index + 1; i < m_dag.size(); ++i)
            if (!m_dag.op(i).isPlaceholder() && !visit(m_dag.op(i))) return false;
        return true;
    }

  private:
    [[nodiscard]] bool isOutput(const Op &op) const {
        return std::ranges::any_of(m_dag.args(), [&](const Tensor *arg) { return arg->op == &op; });
    }
    [[nodiscard]] const Rows *rowsOf(Expr load) const {
        const auto known = m_tensors.find(load->symbol);
        return known == m_tensors.end() ? nullptr : &known->second;
    }
    [[nodiscard]] bool isExtreme(Expr e) const { return e->kind == ExprKind::Load && e->symbol == &m_extreme.output(); }
    /// Reads what may have another value than it should.
    [[nodiscard]] bool differs(Expr e) const {
        if (e->kind != ExprKind::Load) return false;
        const Rows *rows = rowsOf(e);
        return isExtreme(e) || (rows != nullptr && !rows->told);
    }

    /// Whether an op is right whatever its row was told; what it gives is noted.
    bool visit(const Op &op) {
        bool reads = false;
        for (const Expr body : op.body) postOrder(body, [&](Expr e) { reads = reads || differs(e); });
        const bool conditional = op.reduction && op.reduction->condition;
        if (conditional) postOrder(op.reduction->condition, [&](Expr e) { reads = reads || differs(e); });
        if (!reads) return true;
        if (op.body.size() != 1 || conditional || scanOf(op)) return false;
        m_row.clear();
        m_along.clear();
        m_failed = false;
        const bool tells = known(op.body[0], false);
        if (m_failed || m_along.empty()) return false;
        std::vector<size_t> row = placesOf(m_row, op.axes);
        if (row.size() != m_extreme.axes.size()) return false;
        const Tensor *made = &op.output();
        if (op.reduction) {
            const std::vector<size_t> along = placesOf(m_along, op.reduction->axes);
            if (!tells || along.size() != m_along.size() || reduceKind(op.reduction->combiner) != ReduceKind::Sum)
                return false;
            for (size_t k = 0; k < along.size(); ++k)
                if (op.reduction->axes[along[k]].extent != m_extreme.reduction->axes[k].extent) return false;
            m_tensors[made] = {std::move(row), {}, true};
            return true;
        }
        if (known(op.body[0], true)) return true;
        std::vector<size_t> along = placesOf(m_along, op.axes);
        if (!tells || along.size() != m_along.size() || isOutput(op)) return false;
        m_tensors[made] = {std::move(row), std::move(along), false};
        return true;
    }
    static std::vector<size_t> placesOf(const Vars &vars, const std::vector<Axis> &axes) {
        std::vector<size_t> places;
        for (const Expr var : vars)
            for (size_t a = 0; a < axes.size(); ++a)
                if (axes[a].var.is(var)) places.push_back(a);
        return places;
    }

    /// Whether no number in a term of the extreme (`byRow`: in the whole row, by a sum over it) makes `e` none. On the
    /// way all that differs is found, and must be of one row.
    bool known(Expr e, bool byRow) {
        switch (e->kind) {
        case ExprKind::Load: {
            const Rows *rows = rowsOf(e);
            if (isExtreme(e)) m_failed = true; // it tells nothing by itself
            if (rows == nullptr) return false;
            if (rows->told) return byRow && sameRow(e, *rows);
            note(m_row, e, rows->row);
            note(m_along, e, rows->along);
            return !byRow;
        }
        case ExprKind::Sub:
            if (const Expr taken = uncast(e->arg(1)); isExtreme(taken))
                return takeDifference(uncast(e->arg(0)), taken) && !byRow;
            [[fallthrough]];
        case ExprKind::Add:
        case ExprKind::Mul:
        case ExprKind::Div: {
            const bool first = known(e->arg(0), byRow);
            const bool second = known(e->arg(1), byRow);
            return first || second;
        }
        case ExprKind::Cast:
            return known(e->arg(0), byRow) && isFloat(e->dtype);
        case ExprKind::Call:
            if (e->argCount == 1 && isFloat(e->dtype)) return known(e->arg(0), byRow);
            break;
        default:
            break;
        }
        // Whatever else reads it may make a number of it.
        postOrder(e, [&](Expr inner) { m_failed = m_failed || differs(inner); });
        return false;
    }

    /// As another float it is what it is.
    static Expr uncast(Expr e) {
        while (e->kind == ExprKind::Cast && isFloat(e->dtype) && isFloat(e->arg(0)->dtype)) e = e->arg(0);
        return e;
    }
    void note(Vars &into, Expr load, const std::vector<size_t> &places) {
        Vars vars;
        for (const size_t place : places) vars.push_back(load->arg(place));
        noteVars(into, vars);
    }
    void noteVars(Vars &into, const Vars &vars) {
        const bool plain = std::ranges::all_of(vars, [](Expr var) { return var->kind == ExprKind::Var; });
        const bool same = into.empty() ||
                          (into.size() == vars.size() &&
                           std::equal(into.begin(), into.end(), vars.begin(), [](Expr a, Expr b) { return a.is(b); }));
        if (!plain || !same) m_failed = true;
        into = vars;
    }
    [[nodiscard]] bool sameRow(Expr load, const Rows &rows) const {
        if (rows.row.size() != m_row.size()) return false;
        for (size_t i = 0; i < m_row.size(); ++i)
            if (!load->arg(rows.row[i]).is(m_row[i])) return false;
        return true;
    }

    /// `term` is one of those of the extreme of the row at the indices of the load.
    bool takeDifference(Expr term, Expr load) {
        const Vars row(load->operands().begin(), load->operands().end());
        noteVars(m_row, row);
        Vars along(m_extreme.reduction->axes.size());
        if (!matches(uncast(m_extreme.body[0]), term, row, along) ||
            !std::ranges::all_of(along, [](Expr var) { return static_cast<bool>(var); })) {
            m_failed = true;
            return false;
        }
        noteVars(m_along, along);
        return true;
    }
    bool matches(Expr pattern, Expr e, const Vars &row, Vars &along) const {
        if (pattern->kind == ExprKind::Var) {
            for (size_t a = 0; a < row.size(); ++a)
                if (m_extreme.axes[a].var.is(pattern)) return e.is(row[a]);
            for (size_t k = 0; k < along.size(); ++k) {
                if (!m_extreme.reduction->axes[k].var.is(pattern)) continue;
                if (!along[k]) along[k] = e;
                return along[k].is(e);
            }
            return false;
        }
        if (pattern->kind != e->kind || pattern->dtype != e->dtype || pattern->argCount != e->argCount) return false;
        if (pattern->argCount == 0 && pattern->kind != ExprKind::Load) return structurallyEqual(pattern, e);
        if (pattern->kind == ExprKind::Load && pattern->symbol != e->symbol) return false;
        if (pattern->kind == ExprKind::Call && pattern->intrinsic != e->intrinsic) return false;
        for (uint32_t i = 0; i < pattern->argCount; ++i)
            if (!matches(pattern->arg(i), e->arg(i), row, along)) return false;
        return true;
    }

    const ComputeDag &m_dag;
    const Op &m_extreme;
    std::map<const TensorSymbol *, Rows> m_tensors;
    Vars m_row, m_along; // of the op that is visited
    bool m_failed = false;
};

} // namespace

bool mayLoseNoNumbers(const ComputeDag &dag, size_t index) {
    const Op &op = dag.op(index);
    if (op.isPlaceholder() || !op.reduction || op.body.size() != 1 || op.reduction->condition ||
        !isFloat(op.body[0]->dtype))
        return false;
    const ReduceKind kind = reduceKind(op.reduction->combiner);
    if (kind != ReduceKind::Max && kind != ReduceKind::Min) return false;
    return Readers(dag, op).allTold(index);
}

} // namespace loopscope
