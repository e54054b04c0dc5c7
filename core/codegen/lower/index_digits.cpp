#include "codegen/lower/index_digits.h"

#include "codegen/lower/simplify_program.h"

#include "codegen/loop_ir/walk.h"

#include <algorithm>

namespace loopscope {

namespace {

/// Finds the loads of one buffer and, where there is just one, the digits of its indices.
class DigitFinder : public ProgramSimplifier {
  public:
    explicit DigitFinder(const Buffer *buffer) : m_buffer(buffer) {}
    std::vector<IndexDigit> find(Stmt root) {
        visit(root);
        if (m_loads != 1) m_digits.clear();
        return std::move(m_digits);
    }

  protected:
    Stmt visitLoop(Stmt stmt) override {
        m_loops.push_back(stmt->var.node());
        const Stmt result = visitChildren(stmt);
        m_loops.pop_back();
        return result;
    }

    Expr rewriteLoad(Expr load) override {
        if (load->symbol == m_buffer && m_loads++ == 0 && !readDigits(load)) m_digits.clear();
        return Simplifier::rewriteLoad(load);
    }

  private:
    bool readDigits(Expr load) {
        for (uint32_t d = 0; d < load->argCount; ++d) {
            const SplitSum index = sum(load->arg(d));
            int64_t constant = index.constant;
            for (SplitTerm term : index.all()) {
                const auto loop = std::find(m_loops.begin(), m_loops.end(), term.base.node());
                const bool reversed = term.scale < 0;
                if (reversed) term.scale = -term.scale;
                const Interval values = term.values();
                if (loop == m_loops.end() || term.scale < 1 || values.min != 0) return false;
                if (reversed) constant -= values.max;
                m_digits.push_back({static_cast<int>(d), term, static_cast<size_t>(loop - m_loops.begin()),
                                    values.max / term.scale + 1, reversed});
            }
            if (constant != 0) return false;
        }
        std::stable_sort(m_digits.begin(), m_digits.end(), [](const IndexDigit &a, const IndexDigit &b) {
            return a.loop != b.loop ? a.loop < b.loop : a.term.lower > b.term.lower;
        });
        return true;
    }

    const Buffer *m_buffer;
    int m_loads = 0;
    std::vector<const ExprNode *> m_loops;
    std::vector<IndexDigit> m_digits;
};

} // namespace

std::vector<IndexDigit> digitsOfOnlyLoad(Stmt root, const Buffer &buffer) { return DigitFinder(&buffer).find(root); }

std::vector<Expr> digitValues(const std::vector<IndexDigit> &digits) {
    std::vector<Expr> values;
    for (const IndexDigit &digit : digits) {
        SplitTerm unscaled = digit.term;
        unscaled.scale = digit.reversed ? -1 : 1;
        SplitSum value;
        value.add(unscaled);
        if (digit.reversed) value.constant = digit.extent - 1;
        values.push_back(write(value, DType::Int32));
    }
    return values;
}

Stmt withLoadsMoved(Stmt stmt, const Buffer &from, const Buffer &to, std::span<const Expr> indices) {
    const Stmt own = withOwnExprs(stmt, [&](Expr e) {
        return rewriteBottomUp(e, [&](Expr node) {
            return node->kind == ExprKind::Load && node->symbol == &from ? makeLoad(to, indices) : node;
        });
    });
    std::vector<Stmt> children;
    for (const Stmt child : own->body()) children.push_back(withLoadsMoved(child, from, to, indices));
    return withChildren(own, children);
}

bool isRowMajor(const Buffer &buffer) {
    int64_t stride = 1;
    for (size_t d = buffer.shape.size(); d > 0; --d) {
        if (buffer.strides[d - 1] != stride) return false;
        stride *= buffer.shape[d - 1];
    }
    return true;
}

} // namespace loopscope
