#pragma once
// Which loads of weights are asked for ahead of time, decided before any code is emitted. In a network all other
// kernels' weights are read before a kernel has its own again, so these come from far away; hardware follows a stream
// of them within a page at most, and where a loop computes as much as it reads it does not overlap the two. Contains no
// LLVM.

#include "codegen/loop_ir/program.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace loopscope {

/// How far behind an element the one lies that is asked for with it, in bytes: what one core reads while memory takes
/// to answer.
inline constexpr int64_t kPrefetchAhead = 4096;
inline constexpr int64_t kCacheLineBytes = 64;

/// At the beginning of each iteration of a loop.
struct WeightPrefetch {
    const Buffer *buffer = nullptr;
    Expr load; // of it
    std::vector<Expr>
        inner;     // variables of loops inside that stand in its index; 0 at the first element of an iteration
    int lines = 1; // of cache that one iteration reads
};

class PrefetchPlan {
  public:
    /// Weights that are laid out as they are read, are too large to stay in the caches next to a core, and of which a
    /// thread reads an element at most so often that asking costs less than waiting once.
    explicit PrefetchPlan(const LoopProgram &program, const class UnrollPlan &unrolls);

    [[nodiscard]] std::span<const WeightPrefetch> of(const StmtNode &loop) const {
        const auto found = m_prefetches.find(&loop);
        return found == m_prefetches.end() ? std::span<const WeightPrefetch>() : found->second;
    }

  private:
    std::unordered_map<const StmtNode *, std::vector<WeightPrefetch>> m_prefetches;
};

} // namespace loopscope
