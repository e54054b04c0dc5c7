#pragma once
// One schedule in every form a person reads: its stages with ranges, the program after each pass of lowering, C or
// CUDA C++. Made
// off the UI thread by makeRepresentations and cached by Representations; machine code comes separately (Disassembly),
// as compiling takes longer and is done in a process of its own.

#include "codegen/kernel_code.h"
#include "codegen/loop_ir/program.h"
#include "language/task/task.h"
#include "schedule/bound_inference.h"
#include "views/session/selection.h"

#include <QString>

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace loopscope {

/// A loop or store of the final program, flattened for trees and links; index = StmtNode::id.
struct ProgramNode {
    int id = -1;
    int parent = -1; // id
    StmtKind kind = StmtKind::Block;
    LoopKind loop = LoopKind::Serial;
    bool reduction = false; // For: over a reduce axis
    int tileLevel = -1;     // For: how many loops of the same origin are outside it; -1 when it is not tiled
    StageId stageId;        // For, Store; none: made by a pass
    IterId iterId;          // For
    QString stage;          // op name; empty none
    QString iterator;       // For
    QString text;           // its printed line, without indentation
    int64_t extent = -1;    // For: constant trip count, -1 otherwise
    int line = 0;           // in its pass's text, from 1
    int lastLine = 0;       // of what is inside it
    bool likely = false;    // If: a tail guard
    bool reductionInit = false;
    // Allocate, and Store into it: where the values live
    QString buffer;
    MemoryScope scope = MemoryScope::Argument;
    int64_t bytes = 0;

    bool operator==(const ProgramNode &) const = default;
};

/// The program after one pass. Node ids are those of this pass's own numbering.
struct PassForm {
    QString name; // "loop nest", ..., in the order of lower()
    QString text;
    std::shared_ptr<const std::vector<ProgramNode>> nodes; // by id; passes that change none share them
    bool changed = true;                                   // its text differs from the one before
};

struct Representations {
    ScheduleRef ref;
    Steps steps;
    std::optional<LoopState> state;             // ranges known where they exist; a sketch has open lengths
    QString stateText;                          // Ansor's text of the state
    QString refusal;                            // why there are no programs: open lengths, or an illegal schedule
    std::vector<PassForm> passes;               // empty when refused
    std::shared_ptr<const LoopProgram> program; // the last pass's
    /// Of a schedule that asks a GPU for more than it has, and is refused: what it asks for; empty for others.
    std::shared_ptr<const LoopProgram> beyondLimits;
    LinkedText c; // for a GPU CUDA C++
    QString cText;
    QString cProblem; // why there is none of a program that there is

    /// Of the last pass, whose ids Selection::node means; empty when refused.
    [[nodiscard]] const std::vector<ProgramNode> &nodes() const;
};
using RepresentationsPtr = std::shared_ptr<const Representations>;

/// Pure; runs on any thread. `steps` may leave lengths open.
RepresentationsPtr makeRepresentations(const Task &task, const ScheduleRef &ref, const Steps &steps, int layoutRewrite);

} // namespace loopscope
