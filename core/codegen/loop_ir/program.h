#pragma once
// The loop program a state stands for: what the features are counted on, what C and LLVM code are made from, and what
// the user reads. Nodes live in the program's arena; every node has an id, and the printed line of a node is the debug
// line of the machine code made from it.

#include "base/ids.h"
#include "language/expr/expr.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

enum class MemoryScope : uint8_t {
    Argument, // caller's memory
    Heap,     // large intermediate, allocated once per kernel call (or per thread when inside a parallel loop)
    Stack,    // small intermediate
    Register, // constant indices only after unrolling; lives in machine registers
    Shared,   // GPU
    Local,    // GPU
};

/// Strided storage. Loads and stores name a buffer with one index per dimension, never a flat offset, so that analysis
/// sees the structure; codegen multiplies by `strides`.
struct Buffer : TensorSymbol {
    MemoryScope scope = MemoryScope::Argument;
    std::vector<int64_t> strides; // elements; row-major until a pass says otherwise, with storage_align padding
    int argIndex = -1;            // Argument: position among the kernel's arguments
    int alignment = 64;           // bytes guaranteed at the first element
    StageId stage;                // it holds the result of; none: made by a pass
    bool layoutFree = false;      // Argument: weights, which may be laid out as they are read (see rewriteLayouts)
    /// Intermediates as buildLoopNest makes them: indices are absolute (the tensor's own coordinates) and `shape` is
    /// the tensor's whole shape, as the cost model's features want it (Ansor counts the absolute index arithmetic); the
    /// part that is allocated is regionMin[d] .. + regionExtent[d] (null min = 0). Buffer allocation in lower() then
    /// shrinks `shape` to the region, subtracts the mins from every index and clears both fields.
    std::vector<Expr> regionMin;
    std::vector<int64_t> regionExtent;
    [[nodiscard]] int64_t elements() const; // allocation size, padding included
};

enum class LoopKind : uint8_t {
    Serial,
    Parallel,
    Vectorized,
    Unrolled,
    BlockX,
    BlockY,
    BlockZ,
    ThreadX,
    ThreadY,
    ThreadZ,
    VThread,
};
std::string_view loopKindName(LoopKind kind);

enum class StmtKind : uint8_t { Block, For, Store, If, Let, Allocate, Barrier };

struct StmtNode;
class Stmt {
  public:
    Stmt() = default;
    explicit Stmt(const StmtNode *node) : m_node(node) {}
    explicit operator bool() const { return m_node != nullptr; }
    const StmtNode *operator->() const { return m_node; }
    [[nodiscard]] const StmtNode *node() const { return m_node; }

  private:
    const StmtNode *m_node = nullptr;
};

/// One struct for all kinds; the fields a kind uses are listed with it.
struct StmtNode {
    StmtKind kind = StmtKind::Block;
    LoopKind loop = LoopKind::Serial;      // For
    bool likely = false;                   // If: a tail guard, nearly always true
    bool reductionInit = false;            // Store: writes the identity
    int id = -1;                           // unique in the program
    StageId stage;                         // For, Store: of the state it comes from; none: made by a pass
    int unrollMaxStep = -1;                // For, Store: auto_unroll_max_step pragma from here inward (-1 = none)
    IterId iter;                           // For: leaf iterator of the stage; none: made by a pass
    IterKind iterKind = IterKind::Spatial; // For: of that iterator
    const char *iterName = nullptr;        // For: its name in the state ("i.0@j.0@"), for people
    Expr var;                              // For, Let
    Expr min;                              // For: first value (null = 0); Allocate: byte in shared memory (null = any)
    Expr extent;                           // For: trip count
    Expr value;                            // Store: what; If: condition; Let: value
    const Buffer *buffer = nullptr;        // Store, Allocate
    const Expr *indices = nullptr;         // Store
    uint32_t indexCount = 0;
    const Stmt *children = nullptr; // Block: statements; For/Let/Allocate: [body]; If: [then] or [then, else]
    uint32_t childCount = 0;

    [[nodiscard]] std::span<const Stmt> body() const { return {children, childCount}; }
    [[nodiscard]] std::span<const Expr> index() const { return {indices, indexCount}; }
};

/// How a caller must lay out an argument whose layout was rewritten (weights): packed dimension p runs over
/// original dimension `origin` in steps of `stride`; the original index of a dimension is the sum over its parts.
/// Elements whose original index lies outside the tensor are zero.
struct PackedDim {
    int origin = 0;
    int64_t stride = 1;
    int64_t extent = 1;
};

struct ProgramArg {
    const Buffer *buffer = nullptr;
    bool output = false;
    std::vector<int64_t> originalShape;
    std::vector<PackedDim> packing; // empty: as the workload has it
};

/// A loop that runs one iteration after the other although its annotation asks for threads or lanes. Nothing is wrong
/// with such a program, but whoever wrote or drew the annotation should hear of it.
struct SerialisedLoop {
    enum class Why : uint8_t {
        InsideParallel,
        LittleWork,
        CarriesReduction,
        NoLanes,
        OnGpu,
    } why = Why::InsideParallel;
    LoopKind asked = LoopKind::Parallel;
    StageId stage; // none: a copy that a pass makes
    IterId iter;
    std::string name; // of the iterator, for people
    bool operator==(const SerialisedLoop &) const = default;
};
std::string_view serialisedReason(SerialisedLoop::Why why); // "its work is too little to start threads for"
std::string serialisedText(const SerialisedLoop &loop);     // "the parallel loop i.0 runs serially: its work ..."

struct LoopProgram {
    std::string name = "kernel";
    std::vector<ProgramArg> args;
    std::vector<std::unique_ptr<Buffer>> buffers; // all, arguments included
    Stmt root;
    std::vector<SerialisedLoop> serialised; // each loop once
    int nodeCount = 0;
    ArenaPtr arena;
    std::shared_ptr<const void> keepAlive; // the DAG whose expressions are borrowed
};

// --- Building (current arena) ---------------------------------------------------------------------------------------

Stmt makeBlock(std::span<const Stmt> statements); // flattens nested blocks; one statement stays itself
Stmt makeFor(StmtNode loop, Stmt body);           // `loop` carries var, extent, kind, names
Stmt makeStore(const Buffer &buffer, std::span<const Expr> indices, Expr value, StageId stage,
               bool reductionInit = false);
Stmt makeIf(Expr condition, Stmt then, Stmt otherwise = {}, bool likely = false);
Stmt makeLetStmt(Expr var, Expr value, Stmt body);
Stmt makeAllocate(const Buffer &buffer, Stmt body);
/// Same node with another body; the node itself when nothing changed.
Stmt withChildren(Stmt stmt, std::span<const Stmt> children);
Stmt makeBarrier();
/// Ids 0.. in program order and nodeCount: what a finished program has. Every node may stand in the program only once
/// (a pass that duplicates a body copies it, see copyStmt in codegen/loop_ir/walk.h).
void numberNodes(LoopProgram &program);

/// Readable text, one statement a line. `lineOf`, when given, receives id -> line (from 1).
std::string printProgram(const LoopProgram &program, std::map<int, int> *lineOf = nullptr);

/// Our own invariants (variables defined before use, indices count, constant register indices...); empty = fine.
std::string verifyProgram(const LoopProgram &program);

} // namespace loopscope
