#include "codegen/kernel_launch.h"

#include "codegen/loop_ir/shared_layout.h"
#include "codegen/loop_ir/walk.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace loopscope {

namespace {

class LaunchOfProgram {
  public:
    explicit LaunchOfProgram(KernelLaunch &launch) : m_launch(launch) {}

    /// Bytes of buffers that exist at once inside.
    int64_t visit(Stmt stmt, bool insideParallel) {
        const bool bound =
            stmt->kind == StmtKind::For && stmt->loop >= LoopKind::BlockX && stmt->loop <= LoopKind::ThreadZ;
        const bool launches = bound && !m_insideGrid;
        if (stmt->kind == StmtKind::For) {
            if (stmt->loop == LoopKind::Parallel && !insideParallel) {
                insideParallel = true;
                const int64_t extent = constantExtent(stmt);
                m_launch.threads =
                    std::max(m_launch.threads, extent < 0 ? std::numeric_limits<int64_t>::max() : extent);
            }
            if (launches) {
                m_launch.grids.push_back({.sharedBytes = sharedLayoutOf(stmt).bytes});
                m_boundBy = {};
                m_insideGrid = true;
            }
            if (bound) bind(stmt);
        }
        int64_t inside = 0;
        for (const Stmt child : stmt->body()) inside = std::max(inside, visit(child, insideParallel));
        if (launches) m_insideGrid = false;
        const bool scratch = stmt->kind == StmtKind::Allocate &&
                             (stmt->buffer->scope == MemoryScope::Heap || stmt->buffer->scope == MemoryScope::Shared);
        return inside + (scratch ? stmt->buffer->elements() * dtypeBytes(stmt->buffer->dtype) : 0);
    }

    std::optional<Refusal> refused;

  private:
    void bind(Stmt loop) {
        const auto index = static_cast<size_t>(loop->loop) - static_cast<size_t>(LoopKind::BlockX);
        GridLaunch &grid = m_launch.grids.back();
        int64_t &extent = index < 3 ? grid.blocks[index] : grid.threads[index - 3];
        const std::string name(loop->var->name());
        const std::string what = "loop `" + name + "` is bound to " + std::string(loopKindName(loop->loop));
        const int64_t own = constantExtent(loop);
        if (own < 0) {
            refused = Refusal{what + " with a number of iterations known only at run time: " + toText(loop->extent)};
        } else if (!m_boundBy[index].empty() && own != extent) {
            refused = Refusal{what + " with " + std::to_string(own) + " iterations, loop `" + m_boundBy[index] +
                              "` with " + std::to_string(extent) + "; one kernel has one number of them"};
        }
        extent = own;
        m_boundBy[index] = name;
    }

    KernelLaunch &m_launch;
    bool m_insideGrid = false;
    std::array<std::string, 6> m_boundBy; // loops of that grid, by GPU index
};

KernelArg argOf(const ProgramArg &arg) {
    KernelArg described;
    described.name = arg.buffer->name;
    described.output = arg.output;
    described.dtype = arg.buffer->dtype;
    described.elements = arg.buffer->elements();
    described.shape = arg.originalShape;
    described.packing = arg.packing;
    described.weights = arg.buffer->layoutFree;
    return described;
}

} // namespace

size_t argBytes(const KernelArg &arg) {
    return static_cast<size_t>(arg.elements) * static_cast<size_t>(dtypeBytes(arg.dtype));
}

Outcome<KernelLaunch> describeLaunch(const LoopProgram &program, TargetKind kind, std::string entry) {
    KernelLaunch launch;
    launch.kind = kind;
    launch.entry = std::move(entry);
    for (const ProgramArg &arg : program.args) launch.args.push_back(argOf(arg));
    if (!program.root) return launch;
    LaunchOfProgram loops(launch);
    launch.scratchBytes = loops.visit(program.root, false);
    if (loops.refused) return *std::move(loops.refused);
    return launch;
}

} // namespace loopscope
