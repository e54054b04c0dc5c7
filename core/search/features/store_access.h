#pragma once
// Which buffers one store touches, and how each index moves with the loops around it. Everything the extractor asks per
// loop (region, stride, reuse) is answered from this without walking expressions again where indices are linear.

#include "codegen/loop_ir/program.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace loopscope {

enum class AccessType : uint8_t { Read, Write, ReadWrite };

/// Loops around the store, outermost first; at most 64 (deeper nests are our bug).
struct NestLoop {
    const ExprNode *var = nullptr;
    int64_t extent = 1;
    LoopKind kind = LoopKind::Serial;
    int unrollMaxStep = -1;
};

struct IndexMotion {
    Expr expr;
    uint64_t loops = 0; // bit i: loop i's variable occurs
    bool linear = true; // constant + sum of coefficient x loop variable
    int64_t constant = 0;
    std::array<int64_t, 64> *coefficients = nullptr; // of `loops` alone; null unless linear and some loop occurs
    int64_t low = 0;                                 // current interval, moved by AccessSet::widen
    int64_t high = 0;
};

struct BufferAccess {
    const Buffer *buffer = nullptr;
    AccessType type = AccessType::Read;
    uint64_t loops = 0;
    size_t rank = 0;
    std::vector<IndexMotion> indices; // accesses x rank
    [[nodiscard]] size_t count() const { return rank == 0 ? 1 : indices.size() / rank; }
};

/// Scratch reused store after store; one per thread.
class AccessSet {
  public:
    /// The stored buffer first, then the buffers read, in order of first load. A load of the stored buffer makes it
    /// ReadWrite and adds no indices.
    void collect(const StmtNode &store, const std::vector<NestLoop> &loops);
    [[nodiscard]] std::span<BufferAccess> accesses() { return {m_accesses.data(), m_used}; }

    /// All loop variables at their first value.
    void fixAll();
    /// Lets loop `i` run over its whole range (call from the innermost loop outward).
    void widen(size_t loop, const std::vector<NestLoop> &loops);
    /// Elements between the lowest and highest index of dimension d over all accesses of that buffer.
    static int64_t extentOf(const BufferAccess &access, size_t d);
    static int64_t touched(const BufferAccess &access);

    /// Elements by which one step of the loop moves the access (the least of several accesses); 0 when it does not.
    /// With `guess`, Ansor's guess at the coefficient even where the index is linear: the last constant factor seen, 2
    /// where the variable comes again.
    static int64_t stride(const BufferAccess &access, size_t loop, const std::vector<NestLoop> &loops,
                          bool guess = false);

  private:
    void add(const Buffer &buffer, AccessType type, std::span<const Expr> indices, const std::vector<NestLoop> &loops);
    void collectLoads(Expr e, const Buffer &stored, const std::vector<NestLoop> &loops);
    IndexMotion motionOf(Expr e, const std::vector<NestLoop> &loops);

    std::vector<BufferAccess> m_accesses; // the first m_used are this store's, the others keep their memory
    size_t m_used = 0;
    std::vector<std::unique_ptr<std::array<int64_t, 64>>> m_coefficients;
    size_t m_coefficientsUsed = 0;
};

} // namespace loopscope
