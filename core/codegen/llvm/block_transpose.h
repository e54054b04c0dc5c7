#pragma once
// Copies of rows into columns. Element by element, as many loads as there are elements (or stores, where the lanes run
// along the rows) cost more than the copy is worth: a square block of it is loaded as rows, transposed in registers and
// stored as columns. Internal to codegen.

#include "codegen/llvm/emit_context.h"
#include "codegen/llvm/index_forms.h"
#include "codegen/llvm/memory_emitter.h"
#include "codegen/llvm/unroll_plan.h"

#include <optional>
#include <vector>

namespace loopscope {

/// `for outer: [for between: ...] vectorized inner: to[...] = from[...]`; outer and inner are whole numbers of blocks
/// long.
struct TransposingCopy {
    const StmtNode *outer = nullptr;
    std::vector<const StmtNode *> between;
    const StmtNode *inner = nullptr;
    const StmtNode *store = nullptr;
    int lanes = 0; // rows and columns of a block
};

/// The loop is such a copy, as far as its form tells.
std::optional<TransposingCopy> transposingCopy(const StmtNode &loop, const Target &target, const UnrollPlan &plan);

class BlockTranspose {
  public:
    BlockTranspose(const TransposingCopy &copy, EmitContext &context, IndexForms &forms, MemoryEmitter &memory);

    /// One loop runs along rows of what is read, the other along rows of what is written. The loops between are bound.
    bool helps(const LinearIndex &outer, const LinearIndex &inner);
    /// The block that begins there. Leaves both variables bound.
    void emit(const LinearIndex &outer, const LinearIndex &inner);

  private:
    /// The variables stand for their first value plus a constant each, one of them for as many lanes.
    void bind(const LinearIndex &outer, const LinearIndex &inner, bool lanesAlongOuter, int64_t other);

    TransposingCopy m_copy;
    EmitContext &m_context;
    IndexForms &m_forms;
    MemoryEmitter &m_memory;
    bool m_readsAlongOuter = false;
};

} // namespace loopscope
