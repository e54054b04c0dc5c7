#include "codegen/llvm/prefetch_plan.h"

#include "codegen/llvm/unroll_plan.h"
#include "codegen/loop_ir/walk.h"
#include "language/expr/affine.h"
#include "language/expr/walk.h"

#include <algorithm>

namespace loopscope {

namespace {

constexpr int64_t kMinBytes = int64_t{128} << 10; // of weights: less stays in a core's own caches
constexpr int64_t kMaxLines = 16;                 // of an iteration
constexpr int64_t kMaxReads = 16;                 // of an element, by one thread

class PrefetchSearch {
  public:
    PrefetchSearch(const LoopProgram &program, const UnrollPlan &unrolls,
                   std::unordered_map<const StmtNode *, std::vector<WeightPrefetch>> &prefetches)
        : m_unrolls(unrolls), m_prefetches(prefetches) {
        for (const ProgramArg &arg : program.args)
            if (!arg.output && !arg.packing.empty() && arg.buffer->layoutFree &&
                arg.buffer->elements() * dtypeBytes(arg.buffer->dtype) >= kMinBytes)
                m_weights.push_back(arg.buffer);
    }

    void visit(Stmt stmt) {
        if (m_weights.empty()) return;
        const bool loop = stmt->kind == StmtKind::For;
        if (loop) {
            m_loops.push_back({stmt.node(), constantExtent(stmt)});
            m_ranges.push_back({stmt->var.node(), rangeOf(stmt)});
        }
        if (stmt->kind == StmtKind::Store && stmt->value)
            postOrder(stmt->value, [&](Expr e) {
                if (e->kind == ExprKind::Load) look(e);
            });
        for (const Stmt child : stmt->body())
            if (child) visit(child);
        if (loop) {
            m_loops.pop_back();
            m_ranges.pop_back();
        }
    }

  private:
    struct Loop {
        const StmtNode *loop = nullptr;
        int64_t extent = -1; // -1: only the run knows
    };

    static Interval rangeOf(Stmt loop) {
        const int64_t extent = constantExtent(loop);
        if (extent < 1 || (loop->min && loop->min->kind != ExprKind::IntImm)) return Interval::ofType(loop->var->dtype);
        const int64_t min = loop->min ? loop->min->intValue : 0;
        return {min, min + extent - 1};
    }

    [[nodiscard]] bool staysALoop(const Loop &of) const {
        const StmtNode &loop = *of.loop;
        return loop.loop != LoopKind::Parallel && of.extent != 1 && !m_unrolls.unrolls(loop) &&
               !m_unrolls.vectorizes(loop);
    }

    /// Where in the buffer, in elements.
    [[nodiscard]] LinearForm offsetOf(const Buffer &buffer, Expr load) const {
        LinearForm offset;
        for (size_t d = 0; d < buffer.strides.size(); ++d)
            addScaled(offset, linearForm(load->arg(d), m_ranges), buffer.strides[d]);
        return offset;
    }

    void look(Expr load) {
        const auto *buffer = static_cast<const Buffer *>(load->symbol);
        if (std::ranges::find(m_weights, buffer) == m_weights.end() || m_loops.empty()) return;
        const LinearForm offset = offsetOf(*buffer, load);
        const auto step = [&](const Loop &of) { return offset.coefficientOf(of.loop->var); };
        // The innermost loop that goes on in the weights and is not written out.
        size_t at = m_loops.size();
        while (at > 0 && !(staysALoop(m_loops[at - 1]) && step(m_loops[at - 1]) > 0)) --at;
        if (at == 0) return;
        const Loop &loop = m_loops[at - 1];
        int64_t reach = 1; // elements of an iteration
        WeightPrefetch prefetch{buffer, load, {}, 1};
        for (size_t i = at; i < m_loops.size(); ++i) {
            const int64_t inner = step(m_loops[i]);
            if (inner == 0) continue;
            if (inner < 0 || m_loops[i].extent < 1 || m_ranges[i].range.min != 0) return;
            reach += inner * (m_loops[i].extent - 1);
            prefetch.inner.push_back(m_loops[i].loop->var);
        }
        for (const LinearTerm &term : offset.terms) // what is not linear belongs to loops further out
            if (term.atom->kind != ExprKind::Var)
                for (size_t i = at - 1; i < m_loops.size(); ++i)
                    if (usesVar(term.atom, m_loops[i].loop->var)) return;
        const int64_t bytes = step(loop) * dtypeBytes(buffer->dtype);
        const int64_t lines = (bytes + kCacheLineBytes - 1) / kCacheLineBytes;
        // One iteration reads what the next does not, without gaps.
        if (reach > step(loop) || 2 * reach < step(loop) || lines > kMaxLines || 2 * bytes < kCacheLineBytes) return;
        int64_t reads = 1;
        for (size_t i = 0; i + 1 < at; ++i) {
            const Expr var = m_loops[i].loop->var;
            const bool moves = std::ranges::any_of(offset.terms, [&](const LinearTerm &term) {
                return term.atom->kind == ExprKind::Var ? term.atom.is(var) : usesVar(term.atom, var);
            });
            // How often a loop runs that only the run knows counts for nothing.
            if (!moves && m_loops[i].loop->loop != LoopKind::Parallel) reads *= std::max<int64_t>(m_loops[i].extent, 1);
        }
        if (reads > kMaxReads) return;
        prefetch.lines = static_cast<int>(lines);
        std::vector<WeightPrefetch> &known = m_prefetches[loop.loop];
        // Several loads of an iteration are of the same lines.
        if (std::ranges::find(known, buffer, &WeightPrefetch::buffer) == known.end())
            known.push_back(std::move(prefetch));
    }

    const UnrollPlan &m_unrolls;
    std::unordered_map<const StmtNode *, std::vector<WeightPrefetch>> &m_prefetches;
    std::vector<const Buffer *> m_weights;
    std::vector<Loop> m_loops;      // around, outermost first
    std::vector<VarRange> m_ranges; // of their variables
};

} // namespace

PrefetchPlan::PrefetchPlan(const LoopProgram &program, const UnrollPlan &unrolls) {
    ExprArena arena;
    const ArenaScope scope(arena);
    PrefetchSearch(program, unrolls, m_prefetches).visit(program.root);
}

} // namespace loopscope
