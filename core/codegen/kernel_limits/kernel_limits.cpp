// Limits that all GPUs since compute capability 5.0 have stand here, from NVIDIA's CUDA programming guide ("Technical
// Specifications per Compute Capability"); those that differ are the target's.

#include "codegen/kernel_limits/kernel_limits.h"

#include "codegen/kernel_parameters.h"
#include "codegen/loop_ir/walk.h"
#include "language/expr/interval.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace loopscope {

namespace {

struct AxisLimit {
    const char *name;
    int64_t most;
};
constexpr std::array<AxisLimit, 3> kGridLimits = {
    {{"blockIdx.x", 2147483647}, {"blockIdx.y", 65535}, {"blockIdx.z", 65535}}};
constexpr std::array<AxisLimit, 3> kBlockLimits = {{{"threadIdx.x", 1024}, {"threadIdx.y", 1024}, {"threadIdx.z", 64}}};

/// Bytes that one step of a vectorized loop moves at most: its extent in elements of the widest buffer whose index
/// moves with it.
int64_t vectorBytes(Stmt loop) {
    int64_t widest = 0;
    const auto look = [&](DType type, std::span<const Expr> indices) {
        if (std::ranges::any_of(indices, [&](Expr e) { return usesVar(e, loop->var); }))
            widest = std::max<int64_t>(widest, dtypeBytes(type));
    };
    forEachStmt(loop->children[0], [&](Stmt s) {
        if (s->kind == StmtKind::Store) look(s->buffer->dtype, s->index());
        forEachOwnExpr(s, [&](Expr own) {
            postOrder(own, [&](Expr e) {
                if (e->kind == ExprKind::Load) look(e->dtype, e->operands());
            });
        });
    });
    return widest * std::max<int64_t>(constantExtent(loop), 0);
}

class LimitCheck {
  public:
    LimitCheck(const GpuKernel &kernel, const Target &target, const KernelLimits &limits)
        : m_kernel(kernel), m_target(target), m_limits(limits) {}

    std::string exceeded() const {
        if (std::string why = axes(); !why.empty()) return why;
        if (std::string why = block(); !why.empty()) return why;
        std::string why;
        forEachStmt(m_kernel.root, [&](Stmt s) {
            if (why.empty() && s->kind == StmtKind::For) why = loop(s);
        });
        return why;
    }

  private:
    std::string axes() const {
        for (size_t axis = 0; axis < 3; ++axis)
            for (const auto &[limits, extents] :
                 {std::pair(&kGridLimits, &m_limits.grid), std::pair(&kBlockLimits, &m_limits.block)})
                if ((*extents)[axis] > (*limits)[axis].most)
                    return fmt::format("{} has {} iterations bound to {}, which runs {} at most: shorten the loop, or "
                                       "bind it to another axis",
                                       m_limits.kernel, (*extents)[axis], (*limits)[axis].name, (*limits)[axis].most);
        return {};
    }

    std::string block() const {
        if (const int most = m_target.hardware.maxThreadsPerBlock; most > 0 && m_limits.threads > most)
            return fmt::format("{} has {} threads in a block, of which the target runs {} at most: shorten the loops "
                               "bound to threadIdx",
                               m_limits.kernel, m_limits.threads, most);
        const int64_t shared =
            std::max<int64_t>(m_target.gpu.sharedPerBlockOptIn, m_target.hardware.maxSharedMemoryPerBlock);
        if (m_limits.sharedBytes > shared)
            return fmt::format("{} keeps {} bytes in shared memory, of which a block of the target has {}: shorten the "
                               "tiles that are fetched",
                               m_limits.kernel, m_limits.sharedBytes, shared);
        return {};
    }

    std::string loop(Stmt s) const {
        const int64_t extent = constantExtent(s);
        if (const int most = m_target.hardware.maxVthreadExtent;
            s->loop == LoopKind::VThread && most > 0 && extent > most)
            return fmt::format("{} has {} virtual threads ({}), of which {} are allowed (maxVthreadExtent of the "
                               "target): make a serial loop of some of them",
                               m_limits.kernel, extent, s->var->name(), most);
        if (const int most = m_target.hardware.vectorUnitBytes;
            s->loop == LoopKind::Vectorized && most > 0 && vectorBytes(s) > most)
            return fmt::format("{} vectorizes {} over {} bytes, of which a thread moves {} at once: split the loop",
                               m_limits.kernel, s->var->name(), vectorBytes(s), most);
        return {};
    }

    const GpuKernel &m_kernel;
    const Target &m_target;
    const KernelLimits &m_limits;
};

void setOccupancy(KernelLimits &limits, const Target &target) {
    const int64_t most = std::numeric_limits<int>::max();
    const auto threads = static_cast<int>(std::clamp<int64_t>(limits.threads, 1, most));
    limits.occupancy =
        occupancyOf(target, threads, limits.resources ? limits.resources->registers : 0, limits.sharedBytes);
    if (limits.refused.empty() && limits.occupancy.blocks == 0)
        limits.refused = fmt::format("not one block of {} fits on a multiprocessor of the target: there is not enough "
                                     "of its {}",
                                     limits.kernel, limiterName(limits.occupancy.limiter));
}

} // namespace

std::vector<KernelLimits> limitsOf(const LoopProgram &program, const Target &target) {
    if (const Outcome<KernelLaunch> launch = describeLaunch(program, TargetKind::Cuda, program.name); !launch) {
        KernelLimits none;
        none.kernel = program.name;
        none.refused = launch.why();
        return {none};
    }
    std::vector<KernelLimits> all;
    for (const GpuKernel &kernel : gpuKernelsOf(program)) {
        KernelLimits limits;
        limits.kernel = kernel.name;
        for (const KernelParameter &parameter : kernel.parameters)
            if (parameter.written) limits.computes.push_back(parameter.buffer->name);
        limits.grid = kernel.launch.blocks;
        limits.block = kernel.launch.threads;
        for (const int64_t extent : limits.block) limits.threads = mulSaturating(limits.threads, extent);
        limits.sharedBytes = kernel.shared.bytes;
        limits.refused = LimitCheck(kernel, target, limits).exceeded();
        setOccupancy(limits, target);
        all.push_back(std::move(limits));
    }
    return all;
}

std::optional<Refusal> exceededLimit(const LoopProgram &program, const Target &target) {
    for (KernelLimits &limits : limitsOf(program, target))
        if (!limits.refused.empty()) return Refusal{std::move(limits.refused)};
    return std::nullopt;
}

void addResources(std::vector<KernelLimits> &limits, const std::vector<KernelResources> &resources,
                  const Target &target) {
    for (KernelLimits &one : limits) {
        const auto found = std::ranges::find(resources, one.kernel, &KernelResources::kernel);
        if (found == resources.end()) continue;
        one.resources = *found;
        setOccupancy(one, target);
    }
}

} // namespace loopscope
