#pragma once
// For which lanes of a vectorized loop code is being emitted, and what follows from it for values: whether they are
// vectors, and which lanes may act. Internal to codegen.

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/IRBuilder.h>

namespace loopscope {

class Lanes {
  public:
    /// What a piece of code is emitted under.
    struct State {
        int width = 1;                 // lanes of the chunk being emitted
        int active = 1;                // of them inside the loop's extent
        int lane = -1;                 // >= 0: one lane of a chunk is emitted as scalar code
        llvm::Value *mask = nullptr;   // lanes that may act (vector, or i1 in scalar code); null = all
        llvm::Value *inside = nullptr; // the lanes inside the extent, when not all are; what `mask` starts as
    };
    /// Code emitted while it lives is emitted under another state.
    class Scope {
      public:
        Scope(Lanes &lanes, const State &state) : m_lanes(lanes), m_outer(lanes.m_now) { lanes.m_now = state; }
        ~Scope() { m_lanes.m_now = m_outer; }
        Scope(const Scope &) = delete;
        Scope &operator=(const Scope &) = delete;

      private:
        Lanes &m_lanes;
        State m_outer;
    };

    explicit Lanes(llvm::IRBuilder<> &builder) : m_builder(builder) {}

    [[nodiscard]] int width() const { return m_now.width; }
    [[nodiscard]] int active() const { return m_now.active; }
    [[nodiscard]] int lane() const { return m_now.lane; }
    [[nodiscard]] llvm::Value *mask() const { return m_now.mask; }
    /// No condition holds lanes back; at most the loop's extent does.
    [[nodiscard]] bool allInside() const { return m_now.mask == m_now.inside; }

    /// `width` lanes at once, of which the first `active` are inside the loop's extent.
    [[nodiscard]] Scope chunk(int width, int active);
    /// One lane of the chunk as scalar code, where `mask` (null: always) holds.
    [[nodiscard]] Scope single(int lane, llvm::Value *mask = nullptr);
    /// Only the lanes where the condition holds as well.
    [[nodiscard]] Scope where(llvm::Value *condition);

    static bool isVector(const llvm::Value *value) { return value->getType()->isVectorTy(); }
    llvm::Value *splat(llvm::Value *value);             // to the chunk's width
    void matchShapes(llvm::Value *&a, llvm::Value *&b); // splats one if the other is a vector
    llvm::Value *laneOf(llvm::Value *value);            // of a vector in single-lane code
    /// The vector of what `body` makes in every active lane.
    template <typename Body> llvm::Value *perLane(llvm::Type *scalarType, const Body &body);

  private:
    llvm::IRBuilder<> &m_builder;
    State m_now;
};

template <typename Body> llvm::Value *Lanes::perLane(llvm::Type *scalarType, const Body &body) {
    const State chunk = m_now;
    auto *type = llvm::FixedVectorType::get(scalarType, unsigned(chunk.width));
    llvm::Value *result = llvm::Constant::getNullValue(type);
    for (int lane = 0; lane < chunk.active; ++lane) {
        llvm::Value *mask = nullptr;
        if (chunk.mask != chunk.inside) mask = m_builder.CreateExtractElement(chunk.mask, uint64_t(lane));
        llvm::Value *value = nullptr;
        {
            const Scope scope = single(lane, mask);
            value = body();
        }
        result = m_builder.CreateInsertElement(result, value, uint64_t(lane));
    }
    return result;
}

} // namespace loopscope
