#pragma once
// Loops: counted, written out, as lanes, and on several threads. Internal to codegen.

#include "codegen/llvm/emit_context.h"
#include "codegen/llvm/index_forms.h"
#include "codegen/llvm/memory_emitter.h"
#include "codegen/llvm/module_frame.h"
#include "codegen/llvm/prefetch_plan.h"
#include "codegen/llvm/unroll_plan.h"

namespace loopscope {

class StatementEmitter;

class LoopEmitter {
  public:
    /// `statements` emits the bodies; it may be unfinished here.
    LoopEmitter(EmitContext &context, ModuleFrame &frame, IndexForms &forms, MemoryEmitter &memory,
                StatementEmitter &statements);

    /// Throws ProgramRefused.
    void emit(const StmtNode &loop);

  private:
    void emitSerial(const StmtNode &loop);
    void emitUnrolled(const StmtNode &loop, int64_t extent);
    void emitVectorized(const StmtNode &loop, int64_t extent);
    void emitChunk(const StmtNode &loop, const LinearIndex &first, int width, int active);
    void emitParallel(const StmtNode &loop);
    /// False: the loop is no copy of rows into columns, and nothing was emitted.
    bool emitTransposed(const StmtNode &loop);
    template <typename Body> void emitBlocks(int64_t count, const Body &body);
    template <typename Body>
    void emitCountedLoop(llvm::Value *begin, llvm::Value *end, bool runsAtLeastOnce, Interval range, const Body &body);
    /// Of weights, at the beginning of an iteration.
    void emitPrefetches(const StmtNode &loop);
    /// The body once, the loop's variable standing for `value`.
    void emitBody(const StmtNode &loop, const LinearIndex &value);
    LinearIndex firstOf(const StmtNode &loop);

    EmitContext &m_context;
    llvm::IRBuilder<> &m_builder;
    ModuleFrame &m_frame;
    IndexForms &m_forms;
    MemoryEmitter &m_memory;
    StatementEmitter &m_statements;
    UnrollPlan m_plan;
    std::optional<PrefetchPlan> m_prefetches; // of a processor
    bool m_insideParallel = false;
};

} // namespace loopscope
