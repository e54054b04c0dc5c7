// Buffers of which one is dead before the other is written may have the same bytes of a block's memory:
//
//     allocate A.shared: float32[1024]              allocate A.shared: float32[1024] from byte 0
//     allocate B.shared: float32[512]               allocate B.shared: float32[512] from byte 0
//     for k: A.shared = ..; C += A.shared    ->     for k: A.shared = ..; C += A.shared
//     for j: B.shared = ..; D += B.shared           barrier            (all have read what of A.shared they need)
//                                                   for j: B.shared = ..; D += B.shared
//
// The largest is placed first, each where it fits best among those that live while it does. A barrier stands between
// the last access to the one and the first to the other. Where it stands anyhow, bytes are saved for nothing. Else they
// have to be worth it: they let more blocks run on a multiprocessor, or the kernel fit at all; or they are an eighth of
// what a block gets, which is the L1 cache's then, and the barrier is none that buffers which take turns in the rounds
// of a loop would need in every round.

#include "codegen/lower/passes.h"

#include "codegen/loop_ir/shared_layout.h"
#include "codegen/loop_ir/walk.h"
#include "codegen/lower/barriers.h"
#include "codegen/lower/block_fit.h"
#include "codegen/lower/live_ranges.h"
#include "codegen/lower/memory_refusal.h"
#include "codegen/lower/thread_counts.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace loopscope {

namespace {

constexpr int64_t kWorthABarrier = 8; // of a block's shared memory such a part is worth one

class SharedPacker {
  public:
    explicit SharedPacker(Stmt kernel) {
        forEachStmt(kernel, [&](Stmt s) {
            if (s->kind == StmtKind::Allocate && s->buffer->scope == MemoryScope::Shared) buffers.push_back(s->buffer);
        });
        if (buffers.size() > 1) m_ranges = liveRanges(kernel, buffers);
    }

    [[nodiscard]] int64_t bytesWithoutReuse() const {
        return std::accumulate(buffers.begin(), buffers.end(), int64_t{0},
                               [](int64_t sum, const Buffer *buffer) { return sum + sharedSizeOf(*buffer); });
    }

    /// Where each buffer begins, by its number. `turns`: also of those that take turns in the rounds of a loop.
    [[nodiscard]] std::vector<int64_t> packed(bool turns) const {
        std::vector<size_t> order(buffers.size());
        std::iota(order.begin(), order.end(), size_t{0});
        std::ranges::sort(order, {}, [&](size_t i) { return std::pair(-sharedSizeOf(*buffers[i]), i); });
        std::vector<int64_t> offsets(buffers.size(), -1);
        for (const size_t i : order) {
            struct Taken {
                int64_t begin;
                int64_t end;
            };
            std::vector<Taken> taken;
            for (size_t other = 0; other < buffers.size(); ++other)
                if (offsets[other] >= 0 && apart(i, other, turns))
                    taken.push_back({offsets[other], offsets[other] + sharedSizeOf(*buffers[other])});
            std::ranges::sort(taken, {}, &Taken::begin);
            const int64_t size = sharedSizeOf(*buffers[i]);
            int64_t best = -1;
            int64_t bestGap = 0;
            int64_t end = 0;
            for (const Taken &place : taken) {
                const int64_t gap = place.begin - end;
                if (gap >= size && (best < 0 || gap < bestGap)) {
                    best = end;
                    bestGap = gap;
                }
                end = std::max(end, place.end);
            }
            offsets[i] = best < 0 ? end : best;
        }
        return offsets;
    }

    [[nodiscard]] int64_t bytesOf(const std::vector<int64_t> &offsets) const {
        int64_t bytes = 0;
        for (size_t i = 0; i < buffers.size(); ++i) bytes = std::max(bytes, offsets[i] + sharedSizeOf(*buffers[i]));
        return bytes;
    }

    std::vector<const Buffer *> buffers; // in the order they are allocated

  private:
    /// Whether two must not have the same bytes.
    [[nodiscard]] bool apart(size_t a, size_t b, bool turns) const {
        return m_ranges[a].meets(m_ranges[b]) || (!turns && m_ranges[a].takesTurnsWith(m_ranges[b]));
    }

    std::vector<LiveRange> m_ranges;
};

/// The kernel with its buffers at their places and the barriers that takes.
class PlacedKernel {
  public:
    PlacedKernel(Stmt kernel, const SharedPacker &packer, const std::vector<int64_t> &offsets)
        : bytes(packer.bytesOf(offsets)) {
        for (size_t i = 0; i < offsets.size(); ++i) m_offsets.emplace(packer.buffers[i], offsets[i]);
        root = withBarriers(placed(kernel), [this](const SharedAccesses &earlier, const SharedAccesses &later) {
            return meet(earlier.written, later.written) || meet(earlier.written, later.readByAny) ||
                   meet(earlier.readByAny, later.written);
        });
    }

    Stmt root;
    int64_t bytes;

  private:
    Stmt placed(Stmt stmt) const {
        std::vector<Stmt> children;
        for (const Stmt child : stmt->body()) children.push_back(placed(child));
        if (stmt->kind == StmtKind::Allocate && stmt->buffer->scope == MemoryScope::Shared)
            return makeAllocateAt(*stmt->buffer, m_offsets.at(stmt->buffer), children[0]);
        return withChildren(stmt, children);
    }

    [[nodiscard]] bool meet(const std::set<const Buffer *> &a, const std::set<const Buffer *> &b) const {
        return std::ranges::any_of(a, [&](const Buffer *one) {
            return std::ranges::any_of(b, [&](const Buffer *other) {
                const int64_t first = m_offsets.at(one);
                const int64_t second = m_offsets.at(other);
                return one != other && first < second + sharedSizeOf(*other) && second < first + sharedSizeOf(*one);
            });
        });
    }

    std::map<const Buffer *, int64_t> m_offsets; // only looked up
};

/// All barriers, or those that threads come to in every round of some loop.
int barriersIn(Stmt stmt, bool repeatedOnly, bool repeated = false) {
    int barriers = stmt->kind == StmtKind::Barrier && (repeated || !repeatedOnly) ? 1 : 0;
    const bool rounds = stmt->kind == StmtKind::For && !isBlockAxis(stmt->loop) && !isThreadAxis(stmt->loop) &&
                        constantExtent(stmt) != 1;
    for (const Stmt child : stmt->body()) barriers += barriersIn(child, repeatedOnly, repeated || rounds);
    return barriers;
}

class SharedMemoryReuse {
  public:
    explicit SharedMemoryReuse(const PassContext &context) : m_context(context) {}

    Stmt visit(Stmt stmt) {
        if (stmt->kind == StmtKind::For && (isBlockAxis(stmt->loop) || isThreadAxis(stmt->loop))) return reused(stmt);
        std::vector<Stmt> children;
        for (const Stmt child : stmt->body()) children.push_back(visit(child));
        return withChildren(stmt, children);
    }

    std::optional<Refusal> refused;

  private:
    struct Choice {
        Stmt kernel;
        int64_t bytes = 0;
    };

    Stmt reused(Stmt kernel) {
        const SharedPacker packer(kernel);
        Choice chosen = {kernel, packer.bytesWithoutReuse()};
        if (packer.buffers.size() > 1)
            for (const bool turns : {false, true}) {
                const std::vector<int64_t> offsets = packer.packed(turns);
                if (packer.bytesOf(offsets) >= chosen.bytes) continue;
                const PlacedKernel placed(kernel, packer, offsets);
                if (worthIt(kernel, chosen, {placed.root, placed.bytes})) chosen = {placed.root, placed.bytes};
            }
        const int most = m_context.target.hardware.maxSharedMemoryPerBlock;
        if (!refused && most > 0 && chosen.bytes > most)
            refused = memoryRefusal(m_context, kernel, MemoryScope::Shared, chosen.bytes, most);
        return chosen.kernel;
    }

    /// Fewer bytes, perhaps for more barriers.
    [[nodiscard]] bool worthIt(Stmt kernel, const Choice &before, const Choice &after) const {
        if (barriersIn(after.kernel, false) <= barriersIn(before.kernel, false)) return true;
        const int most = m_context.target.hardware.maxSharedMemoryPerBlock;
        if (most > 0 && before.bytes > most) return true;
        const BlockFit fit(m_context.target, kernel);
        if (fit.blocks(after.bytes) > fit.blocks(before.bytes)) return true;
        if (barriersIn(after.kernel, true) > barriersIn(before.kernel, true)) return false;
        return (given(before.bytes) - given(after.bytes)) * kWorthABarrier >= given(before.bytes);
    }

    /// What a multiprocessor gives a block that asks for so much.
    [[nodiscard]] int64_t given(int64_t bytes) const {
        const int64_t unit = std::max(1, m_context.target.gpu.sharedUnit);
        return (bytes + unit - 1) / unit * unit;
    }

    const PassContext &m_context;
};

} // namespace

std::optional<Refusal> reuseSharedMemory(LoopProgram &program, const PassContext &context) {
    SharedMemoryReuse reuse(context);
    program.root = reuse.visit(program.root);
    numberNodes(program);
    return std::move(reuse.refused);
}

} // namespace loopscope
