// What a thread adds up, it adds up in memory of its own, and a reduce loop bound to threads leaves a part of the
// result with each of them. The parts are combined, and what was the reduction's init nest stores the result:
//
//     S[i] = 0                                 S.partial = 0
//     for k.0 in 0 .. 8:                       for k.0 in 0 .. 8:
//         threadIdx.x k.1 in 0 .. 32:     ->       threadIdx.x k.1 in 0 .. 32:
//             S[i] += A[i, k.0*32 + k.1]               S.partial += A[i, k.0*32 + k.1]
//                                              S.partial += shuffle_xor(S.partial, 16)
//                                              ..
//                                              S.partial += shuffle_xor(S.partial, 1)
//                                              S[i] = S.partial
//
// What the threads beyond a tail or beyond the loop hold is the identity. Parts meet axis by axis: by shuffles among
// the largest power of two of neighbours in a warp that divides them up, then one value of each such group goes through
// shared memory, from which all take all, or, of more than a few dozen, through a tree in shared memory. A result that
// every thread of the block comes to know stays with each of them, and no barrier is needed before it is read.

#include "codegen/lower/combine_parts.h"
#include "codegen/lower/passes.h"

#include "codegen/loop_ir/walk.h"
#include "codegen/lower/thread_counts.h"
#include "language/expr/interval.h"
#include "language/te/scatter.h"
#include "schedule/stage_facts.h"

#include <algorithm>
#include <fmt/format.h>

namespace loopscope {

namespace {

constexpr int64_t kElementsKept = 64; // most elements of a result that a thread keeps

bool reducesInThreads(Stmt loop) {
    return loop->kind == StmtKind::For && isThreadAxis(loop->loop) && runsOver(loop, IterKind::Reduction);
}

/// Every store in it writes the identity of that stage's reduction.
bool initialises(Stmt stmt, StageId stage) {
    bool any = false;
    bool only = true;
    forEachStmt(stmt, [&](Stmt s) {
        if (s->kind != StmtKind::Store) return;
        any = true;
        only = only && s->reductionInit && s->stage == stage;
    });
    return any && only;
}

/// A reduction as it stands in a program.
struct ReductionNest {
    StageId stage;
    std::span<const Stmt> inits;   // what sets the identity
    Stmt updates;                  // right behind them
    std::vector<Stmt> loops;       // spatial loops of the stage inside `updates` that a thread runs itself
    std::vector<MeetingAxis> axes; // along which threads share its terms out
    bool spatialThreads = false;   // others of its loops inside `updates` are bound to threads
};

void lookAt(Stmt stmt, ReductionNest &found) {
    if (stmt->kind == StmtKind::For && stmt->stage == found.stage) {
        if (reducesInThreads(stmt))
            found.axes.push_back({stmt->loop, constantExtent(stmt)});
        else if (runsOver(stmt, IterKind::Spatial) && isThreadAxis(stmt->loop))
            found.spatialThreads = true;
        else if (runsOver(stmt, IterKind::Spatial))
            found.loops.push_back(stmt);
    }
    for (const Stmt child : stmt->body()) lookAt(child, found);
}

int timesUsed(Expr e, Expr var) {
    int count = 0;
    postOrder(e, [&](Expr part) { count += part.is(var) ? 1 : 0; });
    return count;
}

/// Rewrites one such reduction.
class PartialReduction {
  public:
    PartialReduction(LoopProgram &program, const PassContext &context, const ThreadCounts &counts,
                     const ReductionNest &what)
        : m_program(program), m_op(*context.state.stage(what.stage).op),
          m_warp(std::max(1, context.target.hardware.warpSize)), m_counts(counts), m_what(what) {
        findResults();
    }

    /// `keep`: a result that all threads have come to know need not be stored by one of them for the others.
    Stmt write(bool forAll, bool keep) {
        bool reachesAll = true;
        std::vector<Meeting> meetings;
        for (const MeetingAxis &axis : m_what.axes) {
            meetings.push_back(meetingOf(axis, m_counts, m_warp, wholeRegisters(), forAll));
            const bool some = meetings.back().kind == Meeting::Kind::Shuffles && m_counts.of(axis.axis) != axis.extent;
            reachesAll = reachesAll && !some;
        }
        if (keep && reachesAll)
            for (Buffer *result : m_results) result->scope = MemoryScope::Local;
        makeBuffers();
        std::vector<Stmt> statements = {identities(), accumulating(m_what.updates)};
        if (!meetings.empty()) statements.push_back(meeting(meetings));
        for (const Stmt init : m_what.inits) statements.push_back(storing(init));
        Stmt body = makeBlock(statements);
        for (const Buffer *buffer : m_made) body = makeAllocate(*buffer, body);
        return body;
    }

    [[nodiscard]] int64_t elements() const {
        int64_t elements = 0;
        for (const Buffer *result : m_results) {
            int64_t region = 1;
            for (const int64_t extent : result->regionExtent) region *= extent;
            elements += result->regionExtent.empty() ? kElementsKept + 1 : region;
        }
        return elements;
    }

  private:
    using Vars = std::vector<Expr>;

    [[nodiscard]] size_t outputs() const { return m_op.outputs.size(); }
    [[nodiscard]] const Combiner &combiner() const { return m_op.reduction->combiner; }
    [[nodiscard]] bool wholeRegisters() const {
        return std::ranges::all_of(m_results, [](const Buffer *buffer) { return dtypeBytes(buffer->dtype) >= 4; });
    }
    /// A combiner that uses each of its two values once can be told the other thread's in place.
    [[nodiscard]] bool inPlace() const {
        return outputs() == 1 && timesUsed(combiner().result[0], combiner().left[0]) <= 1 &&
               timesUsed(combiner().result[0], combiner().right[0]) <= 1;
    }

    void findResults() {
        for (const auto &buffer : m_program.buffers)
            if (buffer->stage == m_what.stage) m_results.push_back(buffer.get());
        std::ranges::stable_sort(m_results, {}, [&](const Buffer *buffer) { return outputOf(*buffer); });
    }
    [[nodiscard]] size_t outputOf(const Buffer &buffer) const {
        size_t k = 0;
        while (k + 1 < outputs() && tensorText(m_op.output(k)) != buffer.name) ++k;
        return k;
    }
    /// outputs() = none of them.
    [[nodiscard]] size_t resultNumber(const TensorSymbol *symbol) const {
        return static_cast<size_t>(std::ranges::find(m_results, symbol) - m_results.begin());
    }

    const Buffer *addBuffer(const Buffer &of, const char *suffix, MemoryScope scope, std::vector<int64_t> shape) {
        auto buffer = std::make_unique<Buffer>();
        buffer->name = of.name + suffix;
        buffer->dtype = of.dtype;
        buffer->scope = scope;
        if (shape.empty()) shape = {1};
        buffer->strides.assign(shape.size(), 1);
        for (size_t d = shape.size() - 1; d > 0; --d) buffer->strides[d - 1] = buffer->strides[d] * shape[d];
        buffer->regionMin.resize(shape.size());
        buffer->regionExtent = shape;
        buffer->shape = std::move(shape);
        m_program.buffers.push_back(std::move(buffer));
        m_made.push_back(m_program.buffers.back().get());
        return m_made.back();
    }

    void makeBuffers() {
        std::vector<int64_t> shape;
        for (const Stmt loop : m_what.loops) shape.push_back(constantExtent(loop));
        for (const Buffer *result : m_results) {
            m_partial.push_back(addBuffer(*result, ".partial", MemoryScope::Local, shape));
            if (!inPlace()) m_other.push_back(addBuffer(*result, ".other", MemoryScope::Local, {}));
        }
    }

    static Vars element(const Vars &vars) { return vars.empty() ? Vars{makeInt(0)} : vars; }

    /// Inside loops over the elements of a part, then over all threads of the block: what all of them do.
    template <typename MakeBody> Stmt byAll(bool vectors, const MakeBody &makeBody) {
        Vars vars;
        for (const Stmt loop : m_what.loops) vars.push_back(makeVar(loop->var->name()));
        std::array<Expr, 3> threads;
        constexpr std::array<const char *, 3> kNames = {"thread.x", "thread.y", "thread.z"};
        for (size_t a = 0; a < threads.size(); ++a) threads.at(a) = makeVar(kNames.at(a));
        Stmt body = makeBody(vars, threads);
        for (size_t i = vars.size(); i-- > 0;) {
            StmtNode loop = *m_what.loops[i].node();
            loop.var = vars[i];
            loop.unrollMaxStep = -1;
            if (loop.loop == LoopKind::VThread || (loop.loop == LoopKind::Vectorized && !vectors))
                loop.loop = LoopKind::Serial;
            body = makeFor(loop, body);
        }
        for (size_t a = 0; a < threads.size(); ++a) {
            if (m_counts.extents.at(a) == 1) continue;
            StmtNode loop;
            loop.loop = static_cast<LoopKind>(static_cast<size_t>(LoopKind::ThreadX) + a);
            loop.var = threads.at(a);
            loop.extent = makeInt(m_counts.extents.at(a));
            body = makeFor(loop, body);
        }
        return body;
    }

    Stmt identities() {
        return byAll(true, [&](const Vars &vars, const auto &) {
            std::vector<Stmt> stores;
            for (size_t k = 0; k < outputs(); ++k) {
                const Expr identity = combiner().identity[k];
                const DType type = m_partial[k]->dtype;
                stores.push_back(makeStore(*m_partial[k], element(vars),
                                           identity->dtype == type ? identity : castTo(type, identity), StageId()));
            }
            return makeBlock(stores);
        });
    }

    Stmt meeting(const std::vector<Meeting> &meetings) {
        return byAll(false, [&](const Vars &vars, const auto &threads) {
            const auto share = [&](size_t k, std::vector<int64_t> shape) -> const Buffer & {
                return *addBuffer(*m_results[k], ".across", MemoryScope::Shared, std::move(shape));
            };
            const ThreadParts parts{combiner(), m_partial, element(vars),    m_other, threads,
                                    m_counts,   m_warp,    wholeRegisters(), share};
            std::vector<Stmt> statements;
            for (size_t i = 0; i < meetings.size(); ++i) combineParts(parts, m_what.axes[i], meetings[i], statements);
            return makeBlock(statements);
        });
    }

    /// The update nest with parts in place of results.
    Stmt accumulating(Stmt stmt, const Vars &outer = {}) {
        Vars vars = outer;
        if (std::ranges::any_of(m_what.loops, [&](Stmt own) { return own.node() == stmt.node(); }))
            vars.push_back(stmt->var);
        std::vector<Stmt> children;
        for (const Stmt child : stmt->body()) children.push_back(accumulating(child, vars));
        const Stmt rebuilt = withOwnExprs(withChildren(stmt, children), [&](Expr e) {
            return rewriteBottomUp(e, [&](Expr part) {
                const size_t k = part->kind == ExprKind::Load ? resultNumber(part->symbol) : outputs();
                return k < outputs() ? makeLoad(*m_partial[k], element(vars)) : part;
            });
        });
        if (stmt->kind != StmtKind::Store || stmt->stage != m_what.stage) return rebuilt;
        StmtNode node =
            *makeStore(*m_partial[resultNumber(stmt->buffer)], element(vars), rebuilt->value, stmt->stage).node();
        node.unrollMaxStep = stmt->unrollMaxStep;
        return newStmt(node);
    }

    /// The init nest, which stores what was combined in place of the identity.
    Stmt storing(Stmt stmt, const Vars &outer = {}) {
        Vars vars = outer;
        if (std::ranges::any_of(m_what.loops, [&](Stmt own) { return sameIterator(own, stmt); }))
            vars.push_back(stmt->var);
        if (stmt->kind == StmtKind::Store)
            return makeStore(*stmt->buffer, stmt->index(),
                             makeLoad(*m_partial[resultNumber(stmt->buffer)], element(vars)), stmt->stage);
        std::vector<Stmt> children;
        for (const Stmt child : stmt->body()) children.push_back(storing(child, vars));
        return withChildren(stmt, children);
    }

    LoopProgram &m_program;
    const Op &m_op;
    int64_t m_warp;
    ThreadCounts m_counts;
    const ReductionNest &m_what;
    std::vector<Buffer *> m_results;       // one per output
    std::vector<const Buffer *> m_partial; // likewise
    std::vector<const Buffer *> m_other;   // likewise, or empty
    std::vector<const Buffer *> m_made;
};

class AcrossThreads {
  public:
    AcrossThreads(LoopProgram &program, const PassContext &context)
        : m_program(program), m_context(context), m_counts(threadCounts(program, context.state)) {}

    Stmt visit(Stmt stmt) {
        const bool bound = stmt->kind == StmtKind::For && isThreadAxis(stmt->loop) && stmt->iter.value >= 0;
        if (bound) m_around.push_back(stmt);
        std::vector<Stmt> children;
        for (const Stmt child : stmt->body()) {
            const StageId stage = stmt->kind == StmtKind::Block ? reducedBy(child) : StageId();
            size_t inits = 0;
            while (stage.value >= 0 && inits < children.size() &&
                   initialises(children[children.size() - 1 - inits], stage))
                ++inits;
            const Stmt visited = visit(child);
            if (inits == 0) {
                children.push_back(visited);
                continue;
            }
            const auto from = children.end() - static_cast<ptrdiff_t>(inits);
            const std::vector<Stmt> initNests(from, children.end());
            children.erase(from, children.end());
            rewrite(stage, initNests, visited, children);
        }
        if (bound) m_around.pop_back();
        const bool block = stmt->kind == StmtKind::Block && children.size() != stmt->childCount;
        return block ? makeBlock(children) : withChildren(stmt, children);
    }

    std::string refused;

  private:
    /// The stage whose reduction the statement holds, where its init nest does not stand in it too. Scans and scatters,
    /// which go in order, have nothing to combine.
    [[nodiscard]] StageId reducedBy(Stmt stmt) const {
        StageId found;
        forEachStmt(stmt, [&](Stmt s) {
            if (found.value >= 0 || s->kind != StmtKind::For || !runsOver(s, IterKind::Reduction)) return;
            const Op &op = *m_context.state.stage(s->stage).op;
            if (!op.reduction || isScatter(op)) return;
            bool inits = false;
            forEachStmt(stmt, [&](Stmt inner) {
                inits = inits || (inner->kind == StmtKind::Store && inner->reductionInit && inner->stage == s->stage);
            });
            if (!inits) found = s->stage;
        });
        return found;
    }

    void rewrite(StageId stage, const std::vector<Stmt> &inits, Stmt updates, std::vector<Stmt> &out) {
        ReductionNest found{stage, inits, updates, {}, {}, false};
        lookAt(updates, found);
        const std::string &name = m_context.state.stage(stage).op->name;
        const ThreadCounts &kernel = m_counts[rootOf(m_context.state, stage).index()];
        const ScopeRank rank = m_context.state.stage(stage).location == ComputeLocation::Root
                                   ? ScopeRank::Global
                                   : kernelScope(m_context.state, stage, kernel);
        for (const Stmt loop : m_around)
            for (const MeetingAxis &axis : found.axes)
                if (rank == ScopeRank::Local && loop->loop == axis.axis)
                    refuse(fmt::format("{} reduces across {} inside loop {} of {}, which is bound to it as well: bind "
                                       "one of them to another axis, or keep the result in shared memory",
                                       name, loopKindName(axis.axis), loop->iterName,
                                       m_context.state.stage(loop->stage).op->name));
        int64_t elements = 1;
        for (const Stmt loop : found.loops) elements = mulSaturating(elements, constantExtent(loop));
        const bool alone = found.axes.empty() && (rank == ScopeRank::Local || elements > kElementsKept);
        if (alone || !refused.empty()) {
            out.insert(out.end(), inits.begin(), inits.end());
            return out.push_back(updates);
        }
        PartialReduction partial(m_program, m_context, kernel, found);
        const bool keep = !found.axes.empty() && rank == ScopeRank::Shared && m_around.empty() &&
                          !found.spatialThreads && partial.elements() <= kElementsKept;
        out.push_back(partial.write(rank == ScopeRank::Local, keep));
    }

    void refuse(std::string why) {
        if (refused.empty()) refused = std::move(why);
    }

    LoopProgram &m_program;
    const PassContext &m_context;
    std::vector<ThreadCounts> m_counts;
    std::vector<Stmt> m_around; // loops bound to threads
};

} // namespace

std::optional<Refusal> reduceAcrossThreads(LoopProgram &program, const PassContext &context) {
    AcrossThreads pass(program, context);
    const Stmt root = pass.visit(program.root);
    if (!pass.refused.empty()) return Refusal{std::move(pass.refused)};
    program.root = root;
    numberNodes(program);
    return std::nullopt;
}

} // namespace loopscope
