#include "codegen/lower/block_fit.h"

#include "codegen/loop_ir/walk.h"
#include "codegen/lower/thread_counts.h"
#include "language/target/occupancy.h"

#include <algorithm>

namespace loopscope {

namespace {

constexpr int64_t kOtherRegisters = 32; // of a thread: addresses, counters, operands on their way
constexpr int64_t kRegistersOfThread = 255;

} // namespace

BlockFit::BlockFit(const Target &target, Stmt kernel) : m_target(&target) {
    forEachStmt(kernel, [&](Stmt s) {
        if (s->kind == StmtKind::For && isThreadAxis(s->loop)) m_threads *= constantExtent(s);
        if (s->kind == StmtKind::Allocate && s->buffer->scope == MemoryScope::Local)
            m_registers += (s->buffer->elements() * dtypeBytes(s->buffer->dtype) + 3) / 4;
    });
}

BlockFit BlockFit::withRegisters(int64_t more) const {
    BlockFit fit = *this;
    fit.m_registers += more;
    return fit;
}

int BlockFit::blocks(int64_t sharedBytes) const {
    const auto registers = static_cast<int>(std::min(kRegistersOfThread, kOtherRegisters + m_registers));
    return occupancyOf(*m_target, static_cast<int>(m_threads), registers, sharedBytes).blocks;
}

} // namespace loopscope
