#pragma once
// Statements. Internal to codegen.

#include "codegen/llvm/emit_context.h"
#include "codegen/llvm/index_forms.h"
#include "codegen/llvm/loop_emitter.h"
#include "codegen/llvm/memory_emitter.h"
#include "codegen/llvm/module_frame.h"
#include "codegen/llvm/value_emitter.h"

namespace loopscope {

class StatementEmitter {
  public:
    StatementEmitter(EmitContext &context, ModuleFrame &frame, IndexForms &forms, ValueEmitter &values,
                     MemoryEmitter &memory, LoopEmitter &loops);

    /// Throws ProgramRefused.
    void emit(Stmt stmt);

  private:
    void emitStore(const StmtNode &store);
    void emitIf(const StmtNode &branch);
    void emitLet(const StmtNode &let);
    void emitAllocate(const StmtNode &allocate);

    llvm::IRBuilder<> &m_builder;
    Lanes &m_lanes;
    ModuleFrame &m_frame;
    IndexForms &m_forms;
    ValueEmitter &m_values;
    MemoryEmitter &m_memory;
    LoopEmitter &m_loops;
    bool m_onGpu;
};

} // namespace loopscope
