#pragma once
// The body of a parallel loop as a function of its own, `void (int64 begin, int64 end, void *captured)`: every value it
// may need travels in an array of 8-byte slots. Internal to codegen.

#include "codegen/llvm/emit_context.h"
#include "codegen/llvm/index_forms.h"
#include "codegen/llvm/memory_emitter.h"
#include "codegen/llvm/module_frame.h"

namespace loopscope {

class OutlinedBody {
  public:
    /// From here to `finish` instructions go into the new function, and all variables and buffers are known there.
    OutlinedBody(EmitContext &context, ModuleFrame &frame, IndexForms &forms, MemoryEmitter &memory,
                 const StmtNode &loop);
    OutlinedBody(const OutlinedBody &) = delete;
    OutlinedBody &operator=(const OutlinedBody &) = delete;

    [[nodiscard]] llvm::Value *begin() const { return m_body->getArg(0); }
    [[nodiscard]] llvm::Value *end() const { return m_body->getArg(1); }
    /// Returns to the outer function, after the statement that was being emitted there.
    void finish();
    [[nodiscard]] llvm::Function *function() const { return m_body; }
    [[nodiscard]] llvm::Value *captured() const { return m_captured; } // in the outer function

  private:
    llvm::IRBuilder<> &m_builder;
    ModuleFrame &m_frame;
    IndexForms &m_forms;
    MemoryEmitter &m_memory;
    IndexForms::Known m_outerForms;
    MemoryEmitter::Known m_outerStorage;
    ModuleFrame::Place m_outer;
    llvm::IRBuilder<>::InsertPoint m_place;
    llvm::DebugLoc m_line;
    llvm::Value *m_captured = nullptr;
    llvm::Function *m_body = nullptr;
};

} // namespace loopscope
