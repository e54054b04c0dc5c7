#include "codegen/executor/simt_compiler.h"

#include "codegen/executor/lane_values.h"
#include "codegen/loop_ir/walk.h"

#include <algorithm>
#include <fmt/format.h>

namespace loopscope {

namespace {

constexpr int64_t kMaxThreads = 1024; // of a block, on any GPU there is

bool isBlockLoop(Stmt stmt) { return stmt->loop >= LoopKind::BlockX && stmt->loop <= LoopKind::BlockZ; }
bool isThreadLoop(Stmt stmt) { return stmt->loop >= LoopKind::ThreadX && stmt->loop <= LoopKind::ThreadZ; }

class SimtCompiler {
  public:
    explicit SimtCompiler(SimtKernel &kernel) : m_kernel(kernel), m_values(kernel) {}

    void compile(Stmt root) {
        m_kernel.root = root;
        m_kernel.shared = sharedLayoutOf(root);
        m_values.openLevel(); // all blocks
        std::vector<Stmt> around;
        Stmt body = root;
        while (body->kind == StmtKind::For || body->kind == StmtKind::Allocate) {
            if (body->kind == StmtKind::For && !isBlockLoop(body) && !isThreadLoop(body)) break;
            around.push_back(body);
            body = body->children[0];
        }
        for (const Stmt stmt : around)
            if (stmt->kind == StmtKind::For && isThreadLoop(stmt)) bindLoop(stmt, true);
        m_values.openLevel(); // a block
        for (const Stmt stmt : around)
            if (stmt->kind == StmtKind::For && isBlockLoop(stmt)) bindLoop(stmt, false);
        if (m_kernel.lanes() > kMaxThreads)
            throw NotExecutable{fmt::format("a block of {} threads; {} are the most", m_kernel.lanes(), kMaxThreads)};
        for (const Stmt stmt : around)
            if (stmt->kind == StmtKind::Allocate) allocate(stmt);
        visit(body);
        m_kernel.code = m_values.closeLevel();
        m_kernel.work += static_cast<double>(m_kernel.code.size());
        m_kernel.setup = m_values.closeLevel();
    }

  private:
    void bindLoop(Stmt loop, bool thread) {
        const LoopKind first = thread ? LoopKind::ThreadX : LoopKind::BlockX;
        const auto axis = static_cast<size_t>(loop->loop) - static_cast<size_t>(first);
        auto &registers = thread ? m_kernel.threadNumber : m_kernel.blockNumber;
        const int64_t extent = constantExtent(loop);
        if (extent < 1 || (loop->min && !isInt(loop->min, 0)))
            throw NotExecutable{
                fmt::format("the launch loop `{}` does not run from 0 to a constant", loop->var->name())};
        if (registers[axis] >= 0)
            throw NotExecutable{fmt::format("two loops around each other are bound to {}", loopKindName(loop->loop))};
        (thread ? m_kernel.threads : m_kernel.blocks)[axis] = extent;
        registers[axis] = m_values.addVariable(loop->var, thread && extent > 1, Interval::upTo(extent));
    }

    void allocate(Stmt stmt) {
        if (stmt->buffer->scope != MemoryScope::Shared && stmt->buffer->scope != MemoryScope::Local)
            throw NotExecutable{fmt::format(
                "{} is allocated inside a kernel, but neither in shared nor in local memory", stmt->buffer->name)};
    }

    void visit(Stmt stmt) {
        m_values.beginStatement(stmt->id);
        switch (stmt->kind) {
        case StmtKind::Block:
            for (const Stmt child : stmt->body()) visit(child);
            return;
        case StmtKind::For:
            return visitLoop(stmt);
        case StmtKind::Store:
            return visitStore(stmt);
        case StmtKind::If:
            return visitIf(stmt);
        case StmtKind::Let: {
            const Interval range = isFloat(stmt->value->dtype) ? Interval() : m_values.rangeOf(stmt->value);
            const int32_t reg = m_values.lasting(m_values.compile(stmt->value), stmt->value->dtype);
            m_values.openLevel();
            m_values.bind(stmt->var, reg, range);
            visit(stmt->children[0]);
            append(m_values.closeLevel());
            m_values.unbind();
            return;
        }
        case StmtKind::Allocate: {
            allocate(stmt);
            if (stmt->buffer->scope == MemoryScope::Shared)
                throw NotExecutable{fmt::format("shared memory {} is allocated by a thread", stmt->buffer->name)};
            SimtInstruction in;
            in.op = SimtOp::Forget;
            in.access = m_values.bufferNumber(*stmt->buffer);
            m_values.body().push_back(in);
            return visit(stmt->children[0]);
        }
        case StmtKind::Barrier: {
            SimtInstruction in;
            in.op = SimtOp::Barrier;
            in.stmt = stmt->id;
            m_values.body().push_back(in);
            return;
        }
        }
    }

    void visitLoop(Stmt loop) {
        if (isBlockLoop(loop) || isThreadLoop(loop))
            throw NotExecutable{fmt::format("`{}` is bound to {} inside of what a thread does", loop->var->name(),
                                            loopKindName(loop->loop))};
        const DType type = loop->var->dtype;
        const int32_t min =
            loop->min ? m_values.lasting(m_values.compile(loop->min), type) : m_values.constant(0, type);
        const int32_t extent = m_values.lasting(m_values.compile(loop->extent), loop->extent->dtype);
        const bool lanes = m_values.varying(extent);
        const Interval first = loop->min ? m_values.rangeOf(loop->min) : Interval::point(0);
        const Interval count = m_values.rangeOf(loop->extent);
        const int32_t parent = m_values.mask();

        SimtInstruction begin;
        begin.op = lanes ? SimtOp::LaneLoop : SimtOp::Loop;
        begin.dtype = type;
        begin.operand = loop->extent->dtype;
        begin.args = {min, extent, -1};
        begin.slot = m_values.newSlot();
        begin.parent = parent;
        begin.stmt = loop->id;
        begin.varying = m_values.varying(min);
        const double before = m_kernel.work;
        m_values.openLevel();
        begin.dst = m_values.addVariable(loop->var, begin.varying,
                                         {first.min, addSaturating(first.max, addSaturating(count.max, -1))});
        if (lanes) m_values.setMask(begin.slot);
        visit(loop->children[0]);
        m_values.setMask(parent);
        std::vector<SimtInstruction> inside = m_values.closeLevel();
        m_values.unbind();

        const auto length = static_cast<int32_t>(inside.size());
        SimtInstruction next = begin;
        next.op = lanes ? SimtOp::NextOfLanes : SimtOp::NextRound;
        next.jump = -length;
        begin.jump = length + 2;
        m_values.body().push_back(begin);
        append(inside);
        m_values.body().push_back(next);
        const int64_t rounds = std::clamp<int64_t>(count.max, 1, int64_t{1} << 40);
        m_kernel.work = before + (m_kernel.work - before + length + 1) * static_cast<double>(rounds);
    }

    void visitStore(Stmt stmt) {
        SimtInstruction in;
        in.op = SimtOp::Store;
        in.dtype = in.operand = stmt->buffer->dtype;
        in.args[0] = m_values.compile(stmt->value);
        if (laneKindOf(stmt->value->dtype) != laneKindOf(stmt->buffer->dtype))
            throw NotExecutable{fmt::format("a value of type {} is stored in {} of type {}",
                                            dtypeName(stmt->value->dtype), stmt->buffer->name,
                                            dtypeName(stmt->buffer->dtype))};
        in.access = m_values.addAccess(*stmt->buffer, stmt->index(), true);
        in.stmt = stmt->id;
        m_values.body().push_back(in);
    }

    void visitIf(Stmt stmt) {
        int32_t condition = m_values.compile(stmt->value);
        if (stmt->childCount > 1) condition = m_values.lasting(condition, DType::Bool);
        for (size_t side = 0; side < stmt->childCount; ++side) {
            const LaneValues::OpenMask mask = m_values.beginMask(condition, side == 0);
            visit(stmt->children[side]);
            m_values.endMask(mask);
        }
    }

    void append(const std::vector<SimtInstruction> &code) {
        m_values.body().insert(m_values.body().end(), code.begin(), code.end());
    }

    SimtKernel &m_kernel;
    LaneValues m_values;
};

} // namespace

Outcome<SimtKernel> compileSimtKernel(Stmt root) {
    SimtKernel kernel;
    try {
        SimtCompiler(kernel).compile(root);
    } catch (const NotExecutable &refused) {
        return Refusal{"the executor cannot run this kernel: " + refused.sentence};
    }
    return kernel;
}

} // namespace loopscope
