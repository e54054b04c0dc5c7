// Whatever order the loops of a schedule have, a kernel runs as blocks of threads, each of which does the same:
//
//     blockIdx.x b in 0 .. 8:                      blockIdx.x b in 0 .. 8:
//         for k:                                       threadIdx.x t in 0 .. 32:
//             threadIdx.x u in 0 .. 16: S[u] = ..  ->      for k:
//             threadIdx.x t in 0 .. 32: C[t] = ..              if t < 16: S[t] = ..
//                                                              C[t] = ..
//
// Stages meet in the threads of their kernel: a bound loop becomes a thread's number, and what has fewer iterations
// than there are threads, or is bound to none, is done by the first of them. Conditions stand around single statements,
// so that all threads of a block come to every barrier between them.

#include "codegen/lower/passes.h"

#include "codegen/loop_ir/walk.h"
#include "codegen/lower/thread_counts.h"
#include "schedule/stage_facts.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace loopscope {

namespace {

constexpr size_t kHardwareAxes = 6; // blockIdx.x to threadIdx.z
constexpr std::array<size_t, kHardwareAxes> kInsideOut = {3, 4, 5, 0, 1, 2};

bool isHardwareAxis(LoopKind kind) { return kind >= LoopKind::BlockX && kind <= LoopKind::ThreadZ; }
size_t hardwareAxis(LoopKind kind) { return static_cast<size_t>(kind) - static_cast<size_t>(LoopKind::BlockX); }
LoopKind kindOfAxis(size_t axis) { return static_cast<LoopKind>(static_cast<size_t>(LoopKind::BlockX) + axis); }

bool bindsThreads(Stmt stmt) {
    bool found = false;
    forEachStmt(stmt, [&](Stmt s) { found = found || (s->kind == StmtKind::For && isHardwareAxis(s->loop)); });
    return found;
}

StageId stageOf(Stmt stmt) {
    StageId found;
    forEachStmt(stmt, [&](Stmt s) {
        if (found.value >= 0) return;
        if (s->stage.value >= 0) found = s->stage;
        if (s->kind == StmtKind::Allocate && s->buffer->stage.value >= 0) found = s->buffer->stage;
    });
    return found;
}

/// One kernel: everything computed at one stage at root or inside it.
class Kernel {
  public:
    Kernel(LoopProgram &program, const PassContext &context, StageId root, const ThreadCounts &counts)
        : m_program(program), m_state(context.state), m_target(context.target), m_root(root), m_counts(counts) {}

    Stmt make(Stmt body) {
        m_parallel = bindsThreads(body);
        setScopes(body);
        findAxes(body);
        checkThreads();
        if (!m_refused.empty()) return body;
        Stmt result = rewrite(body, -1);
        for (const auto &buffer : m_program.buffers)
            for (Expr &min : buffer->regionMin)
                if (min) min = substitute(min, m_numbers);
        for (const size_t axis : kInsideOut) {
            const bool always = axis == hardwareAxis(LoopKind::BlockX) || axis == hardwareAxis(LoopKind::ThreadX);
            if (m_axes[axis].extent == 1 && !always) continue;
            result = makeFor(launchLoop(axis), result);
        }
        return result;
    }

    [[nodiscard]] const std::string &refused() const { return m_refused; }

  private:
    struct HardwareAxis {
        int64_t extent = 1;
        Stmt loop; // the first bound to it, of the stage at root where it has one: what a person looks for
    };
    struct Bound {
        StageId stage;
        size_t axis;
        int64_t extent;
    };

    [[nodiscard]] const std::string &nameOf(StageId stage) const { return m_state.stage(stage).op->name; }

    template <typename... Args> void refuse(fmt::format_string<Args...> format, Args &&...args) {
        if (m_refused.empty()) m_refused = fmt::format(format, std::forward<Args>(args)...);
    }

    void setScopes(Stmt body) {
        forEachStmt(body, [&](Stmt s) {
            if (s->kind == StmtKind::Allocate)
                for (const auto &buffer : m_program.buffers)
                    if (buffer.get() == s->buffer && buffer->scope == MemoryScope::Heap)
                        buffer->scope = scopeOf(buffer->stage);
            if (s->kind == StmtKind::Store && m_parallel && s->stage != m_root &&
                s->buffer->scope == MemoryScope::Argument)
                refuse("{} is an output and computed inside {}, in every block once: compute it at root (CR)",
                       nameOf(s->stage), nameOf(m_root));
        });
    }

    MemoryScope scopeOf(StageId stage) {
        if (!m_parallel) return MemoryScope::Heap; // one thread alone
        switch (kernelScope(m_state, stage, m_counts)) {
        case ScopeRank::Shared:
            return MemoryScope::Shared;
        case ScopeRank::Local:
            return MemoryScope::Local;
        case ScopeRank::Global:
            refuse("{} lies in global memory, but is computed inside {}, whose blocks would overwrite each other's: "
                   "compute it at root (CR), or at a loop inside the blocks with its result in shared or local memory",
                   nameOf(stage), nameOf(m_root));
            break;
        case ScopeRank::Warp:
            refuse("{} lies in the memory of a warp, for which there is no code: shared and local are legal",
                   nameOf(stage));
            break;
        }
        return MemoryScope::Heap;
    }

    void findAxes(Stmt stmt) {
        const bool bound = stmt->kind == StmtKind::For && isHardwareAxis(stmt->loop);
        if (bound) checkBound(stmt);
        if (bound) m_around.push_back({stmt->stage, hardwareAxis(stmt->loop), constantExtent(stmt)});
        for (const Stmt child : stmt->body()) findAxes(child);
        if (bound) m_around.pop_back();
    }

    void checkBound(Stmt loop) {
        if (loop->stage.value >= 0) checkMeaning(loop);
        HardwareAxis &hardware = m_axes[hardwareAxis(loop->loop)];
        hardware.extent = std::max(hardware.extent, constantExtent(loop));
        const auto rank = [&](Stmt one) { return one->stage == m_root ? 2 : one->stage.value >= 0 ? 1 : 0; };
        if (!hardware.loop || rank(loop) > rank(hardware.loop)) hardware.loop = loop;
    }

    void checkMeaning(Stmt loop) {
        const std::string_view kind = loopKindName(loop->loop);
        const size_t axis = hardwareAxis(loop->loop);
        const auto name = [&] { return fmt::format("loop {} of {}", loop->iterName, nameOf(loop->stage)); };
        const bool block = isBlockAxis(loop->loop);
        if (block && (runsOver(loop, IterKind::Reduction) || runsOver(loop, IterKind::Mixed)))
            return refuse("{} reduces and is bound to {}, but blocks cannot combine what each of them has: bind it to "
                          "threads, or make a stage of the parts (RF)",
                          name(), kind);
        if (block && loop->stage != m_root)
            return refuse("{} is bound to {} inside the kernel of {}, where blocks run already; bind it to threads",
                          name(), kind, nameOf(m_root));
        for (const Bound &outer : m_around)
            if (outer.stage == loop->stage && outer.axis == axis)
                return refuse("{} is bound to {}, as a loop of {} around it is already; bind it to another axis",
                              name(), kind, nameOf(loop->stage));
        const Buffer *result = resultOf(loop);
        if (result != nullptr && result->scope == MemoryScope::Local && !runsOver(loop, IterKind::Reduction))
            refuse("{} is bound to {}, but {} lies in the local memory of one thread, which nobody else sees; "
                   "bind no loop of it, or keep it in shared memory",
                   name(), kind, nameOf(loop->stage));
    }

    void checkThreads() {
        int64_t threads = 1;
        for (size_t axis = hardwareAxis(LoopKind::ThreadX); axis < kHardwareAxes; ++axis)
            threads *= m_axes[axis].extent;
        const int most = m_target.hardware.maxThreadsPerBlock;
        if (most > 0 && threads > most)
            refuse("the kernel of {} asks for {} threads a block, of which the target runs {} at most: shorten the "
                   "loops bound to threadIdx",
                   nameOf(m_root), threads, most);
    }

    /// Where the loop's own stage stores to.
    static const Buffer *resultOf(Stmt loop) {
        const Buffer *found = nullptr;
        forEachStmt(loop, [&](Stmt s) {
            if (s->kind == StmtKind::Store && s->buffer->stage == loop->stage) found = s->buffer;
        });
        return found;
    }

    StmtNode launchLoop(size_t axis) const {
        StmtNode node;
        if (m_axes[axis].loop) node = *m_axes[axis].loop.node();
        node.loop = kindOfAxis(axis);
        node.unrollMaxStep = -1; // handed on inward
        node.var = m_axes[axis].loop ? node.var : makeVar(axis < hardwareAxis(LoopKind::ThreadX) ? "block" : "thread");
        node.extent = makeInt(m_axes[axis].extent);
        return node;
    }

    /// `unroll` is the pragma of a bound loop outside that is no loop any more.
    Stmt rewrite(Stmt stmt, int unroll) {
        switch (stmt->kind) {
        case StmtKind::For: {
            if (stmt->unrollMaxStep >= 0) unroll = stmt->unrollMaxStep;
            if (isHardwareAxis(stmt->loop)) {
                const size_t axis = hardwareAxis(stmt->loop);
                if (!m_axes[axis].loop->var.is(stmt->var))
                    m_numbers.emplace_back(stmt->var.node(), m_axes[axis].loop->var);
                m_around.push_back({stmt->stage, axis, constantExtent(stmt)});
                const Stmt body = rewrite(stmt->children[0], unroll);
                m_around.pop_back();
                return body;
            }
            const Stmt body = rewrite(stmt->children[0], -1);
            StmtNode node = *withChildren(stmt, {&body, 1}).node();
            node.unrollMaxStep = unroll;
            return newStmt(node);
        }
        case StmtKind::Block:
        case StmtKind::Allocate: {
            std::vector<Stmt> children;
            for (const Stmt child : stmt->body()) children.push_back(rewrite(child, unroll));
            return withChildren(stmt, children);
        }
        default: // a statement of one stage, with what guards it
            return guarded(numbered(stmt, unroll));
        }
    }

    Stmt numbered(Stmt stmt, int unroll) const {
        std::vector<Stmt> children;
        for (const Stmt child : stmt->body()) children.push_back(numbered(child, unroll));
        const Stmt result =
            withOwnExprs(withChildren(stmt, children), [&](Expr e) { return substitute(e, m_numbers); });
        if (stmt->kind != StmtKind::Store || unroll < 0 || stmt->unrollMaxStep >= 0) return result;
        StmtNode node = *result.node();
        node.unrollMaxStep = unroll;
        return newStmt(node);
    }

    /// The statement, for the threads that are to do it.
    Stmt guarded(Stmt stmt) const {
        Stmt store = stmt;
        while (store->kind != StmtKind::Store) store = store->children[0];
        const bool local = store->buffer->scope == MemoryScope::Local;
        const bool shared = store->buffer->scope == MemoryScope::Shared;
        Expr condition;
        for (size_t axis = 0; axis < kHardwareAxes; ++axis) {
            const HardwareAxis &hardware = m_axes[axis];
            if (hardware.extent == 1 || (shared && axis < hardwareAxis(LoopKind::ThreadX))) continue;
            // Memory of its own: a thread does what the loops around give it. Other memory: what its own loops do.
            const auto bound = std::find_if(m_around.rbegin(), m_around.rend(), [&](const Bound &loop) {
                return loop.axis == axis && (local || loop.stage == store->stage);
            });
            const bool unbound = bound == m_around.rend();
            if (unbound ? local : bound->extent == hardware.extent) continue;
            const Expr number = hardware.loop->var;
            const Expr own =
                unbound ? fold(ExprKind::Eq, number, makeInt(0)) : fold(ExprKind::Lt, number, makeInt(bound->extent));
            condition = condition ? logicalAnd(condition, own) : own;
        }
        return condition ? makeIf(condition, stmt, {}, true) : stmt;
    }

    LoopProgram &m_program;
    const LoopState &m_state;
    const Target &m_target;
    StageId m_root;
    const ThreadCounts &m_counts;
    bool m_parallel = false;
    std::array<HardwareAxis, kHardwareAxes> m_axes;
    std::vector<Bound> m_around;
    Substitution m_numbers; // variable of a bound loop -> the thread's number
    std::string m_refused;
};

class KernelSplitter {
  public:
    KernelSplitter(LoopProgram &program, const PassContext &context)
        : m_program(program), m_context(context), m_counts(threadCounts(program, context.state)) {}

    /// The statements of `stmt` as kernels, one after the other.
    Stmt visit(Stmt stmt) {
        if (stmt->kind == StmtKind::Allocate && atRoot(stmt->buffer->stage)) {
            const Stmt body = visit(stmt->children[0]);
            return withChildren(stmt, {&body, 1});
        }
        if (stmt->kind != StmtKind::Block) return kernel({&stmt, 1});
        std::vector<Stmt> kernels;
        std::vector<Stmt> together; // statements that belong to one stage at root
        const auto flush = [&] {
            if (!together.empty()) kernels.push_back(kernel(together));
            together.clear();
        };
        for (const Stmt child : stmt->body()) {
            const bool storage = child->kind == StmtKind::Allocate && atRoot(child->buffer->stage);
            if (storage || (!together.empty() && rootOf(child) != rootOf(together.front()))) flush();
            if (storage)
                kernels.push_back(visit(child));
            else
                together.push_back(child);
        }
        flush();
        return makeBlock(kernels);
    }

    std::string refused;

  private:
    [[nodiscard]] bool atRoot(StageId stage) const {
        return stage.value >= 0 && m_context.state.stage(stage).location == ComputeLocation::Root;
    }
    [[nodiscard]] StageId rootOf(Stmt stmt) const { return loopscope::rootOf(m_context.state, stageOf(stmt)); }

    Stmt kernel(std::span<const Stmt> statements) {
        const StageId root = rootOf(statements.front());
        Kernel kernel(m_program, m_context, root, m_counts[root.index()]);
        const Stmt made = kernel.make(makeBlock(statements));
        if (refused.empty()) refused = kernel.refused();
        return made;
    }

    LoopProgram &m_program;
    const PassContext &m_context;
    std::vector<ThreadCounts> m_counts;
};

} // namespace

std::optional<Refusal> bindThreads(LoopProgram &program, const PassContext &context) {
    KernelSplitter splitter(program, context);
    const Stmt root = splitter.visit(program.root);
    if (!splitter.refused.empty()) return Refusal{std::move(splitter.refused)};
    program.root = root;
    numberNodes(program);
    return std::nullopt;
}

} // namespace loopscope
