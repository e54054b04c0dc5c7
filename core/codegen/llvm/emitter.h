#pragma once
// Loop program -> LLVM IR. One Emitter makes one module and is thrown away. Internal to codegen: only files of this
// folder include it, because it drags in LLVM.
//
// Three ideas carry it:
// - Index arithmetic is kept as linear forms over 64-bit values (LinearIndex) until an address is needed, so that
// constants of
//   unrolled loops end up in the displacement of the instruction and divisions whose outcome the ranges decide vanish.
// - A vectorized loop is emitted once per chunk of lanes: the loop variable's form gets a coefficient per lane
// (`lane`). What
//   does not depend on the lane stays scalar; loads and stores look at the stride between lanes.
// - Lanes that must not act are a mask: conditions that differ between lanes, and the lanes past the end of an odd
// extent.

#include "codegen/kernel_code.h"
#include "codegen/llvm/unroll_plan.h"
#include "expr/interval.h"

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace loopscope {

/// Thrown inside the module when a program cannot be compiled; LlvmCompiler turns it into a refusal.
struct ProgramRefused {
    std::string sentence;
};

/// constant + sum of coefficient x atom + lane coefficient x lane. Atoms are positions in the emitter's table,
/// ascending: values of outer loops come first.
struct LinearIndex {
    struct Term {
        int atom = 0;
        int64_t coefficient = 0;
    };
    llvm::SmallVector<Term, 6> terms;
    int64_t constant = 0;
    int64_t lane = 0;

    static LinearIndex of(int64_t value) {
        LinearIndex form;
        form.constant = value;
        return form;
    }
    [[nodiscard]] bool isConstant() const { return terms.empty() && lane == 0; }
    void add(const LinearIndex &other, int64_t factor = 1);
    void scale(int64_t factor);
};

class Emitter {
  public:
    Emitter(const LoopProgram &program, const Target &target, llvm::LLVMContext &context, bool debugLines);
    /// Throws ProgramRefused.
    std::unique_ptr<llvm::Module> emit();

  private:
    /// A 64-bit value known only at run time, with what is known of its range.
    struct Atom {
        llvm::Value *value = nullptr;
        Interval range;
    };
    /// What a variable stands for: a linear form (integers) or a value.
    struct Binding {
        LinearIndex form;
        llvm::Value *value = nullptr; // when set, instead of the form
    };
    struct Storage {
        llvm::Value *base = nullptr;
        llvm::SmallVector<int64_t, 6> strides;
        int laneCopies = 0; // allocated inside a vectorized loop: one copy per lane, lanes adjacent; 0 = shared
    };
    /// Where an access goes: the address in lane 0 and the elements from lane to lane.
    struct Address {
        llvm::Value *pointer = nullptr;
        int64_t laneStride = 0;
    };
    /// What a piece of code is emitted under; saved and restored around chunks and single lanes.
    struct LaneState {
        int width = 1;                 // lanes of the chunk being emitted
        int active = 1;                // of them inside the loop's extent
        int lane = -1;                 // >= 0: one lane of a chunk is emitted as scalar code
        llvm::Value *mask = nullptr;   // lanes that may act (vector, or i1 in scalar code); null = all
        llvm::Value *inside = nullptr; // the lanes inside the extent, when not all are; what `mask` starts as
    };

    // emit_module.cpp
    void emitEntry();
    llvm::Function *makeFunction(llvm::FunctionType *type, const std::string &name, bool external);
    void beginDebug();
    void setLine(const StmtNode &stmt);
    llvm::Value *runtimeField(int position);
    llvm::AllocaInst *entryAlloca(llvm::Type *type, const std::string &name);
    void annotateAccess(llvm::Instruction *access, const Buffer &buffer);

    // emit_stmt.cpp
    void emitStmt(Stmt stmt);
    void emitStore(const StmtNode &store);
    void emitIf(const StmtNode &branch);
    void emitLet(const StmtNode &let);
    void emitAllocate(const StmtNode &allocate);
    // emit_loop.cpp
    void emitFor(const StmtNode &loop);
    void emitSerial(const StmtNode &loop);
    void emitUnrolled(const StmtNode &loop, int64_t extent);
    void emitVectorized(const StmtNode &loop, int64_t extent);
    void emitChunk(const StmtNode &loop, const LinearIndex &first, int width, int active);
    template <typename Body>
    void emitCountedLoop(llvm::Value *begin, llvm::Value *end, bool runsAtLeastOnce, Interval range, const Body &body);
    void emitParallel(const StmtNode &loop);

    // emit_index.cpp
    bool tryForm(Expr e, LinearIndex &out);
    bool divideForm(const LinearIndex &form, int64_t divisor, bool wantQuotient, LinearIndex &out);
    bool pickForm(ExprKind kind, const LinearIndex &a, const LinearIndex &b, LinearIndex &out);
    LinearIndex atomForm(llvm::Value *value, Interval range);
    Interval rangeOf(const LinearIndex &form) const;
    llvm::Value *scalarOf(const LinearIndex &form); // i64, lane coefficient ignored
    llvm::Value *valueOf(const LinearIndex &form, llvm::Type *scalarType);
    LinearIndex requireForm(Expr e, const char *what);
    bool dependsOnLane(Expr e) const;
    /// Narrows the ranges of atoms to what a condition leaves where it holds (or does not); undone by the caller, who
    /// keeps a copy of the atoms.
    void assume(Expr condition, bool holds);
    void assumeNotPositive(LinearIndex form);

    // emit_expr.cpp
    llvm::Value *emitValue(Expr e);
    llvm::Value *emitBinary(Expr e);
    llvm::Value *emitArithmetic(ExprKind kind, DType type, llvm::Value *a, llvm::Value *b);
    llvm::Value *emitComparison(Expr e);
    llvm::Value *emitLogical(Expr e);
    llvm::Value *emitSelect(Expr e);
    llvm::Value *emitIfThenElse(Expr e);
    llvm::Value *emitBranchValue(Expr e, llvm::Value *condition);
    llvm::Value *underMask(llvm::Value *condition, bool negated, Expr e);
    llvm::Value *emitLetValue(Expr e);
    llvm::Value *divisor(llvm::Value *b);
    // emit_cast.cpp
    llvm::Value *emitCast(llvm::Value *value, DType from, DType to);
    llvm::Value *roundTo(llvm::Value *value, DType type);
    llvm::Value *fromMemory(llvm::Value *value, DType type);
    llvm::Value *toMemory(llvm::Value *value, DType type);
    llvm::Type *valueType(DType type);
    llvm::Type *memoryType(DType type);
    // emit_math.cpp
    llvm::Value *emitCall(Expr e);
    llvm::Value *callLibrary(const char *name, llvm::ArrayRef<llvm::Value *> args, bool isDouble);
    llvm::Value *callVectorLibrary(const char *name, llvm::ArrayRef<llvm::Value *> args, bool isDouble, int lanes);
    llvm::Value *callScalarLibrary(const char *name, llvm::ArrayRef<llvm::Value *> args, bool isDouble);

    // emit_memory.cpp
    llvm::Value *emitLoad(Expr e);
    std::optional<Address> addressOf(const Buffer &buffer, std::span<const Expr> indices);
    llvm::Value *loadVector(const Buffer &buffer, const Address &address);
    llvm::Value *loadScalar(const Buffer &buffer, llvm::Value *pointer);
    void storeVector(const Buffer &buffer, const Address &address, llvm::Value *value);
    const Storage &storageOf(const Buffer &buffer) const;

    // Vectors
    template <typename Body> llvm::Value *perLane(llvm::Type *scalarType, const Body &body);
    llvm::Value *splat(llvm::Value *value);             // to the chunk's width
    void matchShapes(llvm::Value *&a, llvm::Value *&b); // splats one if the other is a vector
    llvm::Value *laneOf(llvm::Value *value);            // of a vector in single-lane code
    static bool isVector(const llvm::Value *value) { return value->getType()->isVectorTy(); }
    llvm::Value *andMask(llvm::Value *condition);
    /// No condition holds lanes back; at most the loop's extent does.
    [[nodiscard]] bool allInside() const { return m_lanes.mask == m_lanes.inside; }

    const LoopProgram &m_program;
    const Target &m_target;
    llvm::LLVMContext &m_context;
    std::unique_ptr<llvm::Module> m_module;
    llvm::IRBuilder<> m_builder;
    UnrollPlan m_plan;
    std::vector<Atom> m_atoms;
    std::unordered_map<const ExprNode *, Binding> m_bindings;
    std::unordered_map<const Buffer *, Storage> m_storage;
    LaneState m_lanes;
    llvm::Function *m_function = nullptr;
    llvm::Value *m_runtime = nullptr;
    bool m_insideParallel = false;
    int m_parallelBodies = 0;

    struct AliasLists {
        llvm::MDNode *scope = nullptr;
        llvm::MDNode *noalias = nullptr;
    };
    std::unordered_map<const Buffer *, AliasLists> m_alias;

    bool m_debugLines;
    std::unique_ptr<llvm::DIBuilder> m_debug;
    llvm::DIFile *m_debugFile = nullptr;
    std::map<int, int> m_lineOf;
};

template <typename Body> llvm::Value *Emitter::perLane(llvm::Type *scalarType, const Body &body) {
    const LaneState chunk = m_lanes;
    auto *type = llvm::FixedVectorType::get(scalarType, chunk.width);
    llvm::Value *result = llvm::Constant::getNullValue(type);
    for (int lane = 0; lane < chunk.active; ++lane) {
        m_lanes = {1, 1, lane, nullptr, nullptr};
        if (chunk.mask != chunk.inside) m_lanes.mask = m_builder.CreateExtractElement(chunk.mask, uint64_t(lane));
        llvm::Value *value = body();
        m_lanes = chunk;
        result = m_builder.CreateInsertElement(result, value, uint64_t(lane));
    }
    return result;
}

} // namespace loopscope
