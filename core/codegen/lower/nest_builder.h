#pragma once
// The loop nest of a state as TVM's tensor expression schedules define it: one pass over the stages from the
// last to the first, each stage's nest built from the innermost statement outward.

#include "codegen/lower/lower.h"
#include "language/expr/simplify.h"

namespace loopscope {

class NestBuilder : private Simplifier {
  public:
    NestBuilder(const BoundedState &bounded, const NestOptions &options);
    Outcome<LoopProgram> build();

  private:
    Expr rewriteLoad(Expr load) override;

    void makeBuffers();
    Buffer &addBuffer(const Tensor &tensor, size_t stage);
    Expr inlined(size_t stage, size_t output, std::span<const SplitSum> indices);
    [[nodiscard]] Buffer *&bufferOf(size_t stage, size_t output) { return m_bufferOf[m_firstBuffer[stage] + output]; }

    /// The stage's nest, inside the allocation of its result, before what reads it (null: nothing follows).
    Stmt pipeline(size_t stage, Stmt consumer, bool insideParallel);
    void setRegions(size_t stage);
    Stmt nest(size_t stage, bool insideParallel);
    /// Values of all nodes of the iteration graph from those of the leaves; binds the op's axes.
    void bindAxes(size_t stage, std::span<SplitSum> nodes);
    std::span<const Expr> guards(size_t stage, std::span<SplitSum> nodes, std::span<const uint8_t> roles,
                                 uint8_t wanted);
    template <typename MakeBody>
    Stmt guarded(size_t stage, std::span<SplitSum> nodes, std::span<const uint8_t> roles, uint8_t wanted,
                 const MakeBody &makeBody);
    Stmt store(size_t stage, size_t output, Expr value, bool init = false);
    Stmt bodyStores(size_t stage);
    Stmt initStores(size_t stage);
    Stmt updateStores(size_t stage);
    Stmt initNest(size_t stage, size_t firstReduce, std::span<const uint8_t> roles);
    Stmt loop(size_t stage, size_t leaf, Expr var, Stmt body, bool serial, int unroll) const;
    /// Where the axes are bound to; of a scatter's terms: their places.
    std::span<const Expr> storeIndices(const Op &op, bool init);

    const BoundedState &m_bounded;
    const LoopState &m_state;
    const ComputeDag &m_dag;
    NestOptions m_options;
    LoopProgram m_program;
    std::vector<size_t> m_firstBuffer; // per stage
    std::vector<Buffer *> m_bufferOf;  // null for inlined stages
    int m_unroll = -1;                 // unroll pragma in force that no loop outside carries; -1 none
    std::vector<Expr> m_indices;       // scratch of storeIndices
};

} // namespace loopscope
