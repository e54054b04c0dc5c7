#pragma once
// Statements. Internal to codegen.

#include "codegen/llvm/emit_context.h"
#include "codegen/llvm/index_forms.h"
#include "codegen/llvm/loop_emitter.h"
#include "codegen/llvm/memory_emitter.h"
#include "codegen/llvm/module_frame.h"
#include "codegen/llvm/value_emitter.h"

#include <optional>

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
    /// Memory is had from the first statement of a sequence that uses it to the last: buffers that are not needed at
    /// the same time take turns in the same place, which the caches hold.
    void emitAllocate(const StmtNode &allocate);
    struct Turn {
        const Buffer *buffer = nullptr;
        size_t first = 0; // statement
        size_t last = 0;
    };
    static std::optional<Turn> turnOf(const Buffer &buffer, Stmt body);

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
