#pragma once
// The loops of one schedule as a tree of rows: what the loop view shows, prints and copies. Made from the lowered
// program when there is one; a sketch, whose split lengths are open, has only the nests of its state, with "?" for
// what is not yet known. A value, made off the UI thread; the item model merely looks into it.

#include "views/loops/storage_facts.h"
#include "views/session/representations.h"

#include <memory>

namespace loopscope {

enum class RowKind : uint8_t { Loop, Statement, Guard, Else, Allocation, Let, Barrier, Inlined };

struct LoopRow {
    RowKind kind = RowKind::Loop;
    int parent = -1; // row
    int depth = 0;
    int ordinal = 0;           // among its siblings
    std::vector<int> children; // rows
    int node = -1;             // StmtNode::id; -1 in the tree of a sketch
    StageId stageId;           // none: a pass made it
    IterId iterId;             // Loop: the same
    QString stage;
    QString iterator; // Loop: as the state names it
    QStringList axes; // Loop: axes of the op it runs over ("i" and "j" for i.0@j.0@)
    LoopKind loop = LoopKind::Serial;
    bool reduction = false;
    int tileLevel = -1;    // 0 is the outermost; -1 when the loop is not tiled
    int64_t extent = -1;   // -1 unknown
    QString extentText;    // "64", "?", or the expression of a tail
    double total = 1;      // how often the body (of a loop) or the statement is reached; NaN unknown
    bool atMost = false;   // a guard or a tail makes it fewer
    int unrollUpTo = -1;   // auto_unroll_max_step, where it begins
    QString serialised;    // Loop: why it runs serially against its annotation, a sentence
    QString text;          // statements: as printed; loops: "i.0@j.0@"
    bool likely = false;   // Guard: a tail
    bool identity = false; // Statement: writes a reduction's first value
    QString storage;       // "stack, 2.0 KiB, in L1"; empty where nothing is stored
    MemoryScope memory = MemoryScope::Argument; // where `storage` is said
    QString storageTip;                         // the same in a sentence
    int line = 0;                               // of the program's text, from 1; 0 none
};

struct LoopTree {
    ScheduleRef ref;
    bool fromProgram = false;  // rows have nodes
    std::vector<LoopRow> rows; // in the order they are printed
    std::vector<int> roots;
    QString refusal; // why there is no program
    std::vector<StorageFact> storage;
    std::vector<int> rowOfNode; // node -> row, -1 none
    /// Stages without loops of their own and what became of them, for a sentence: "inlined into its readers".
    std::map<QString, QString> absent;

    [[nodiscard]] const LoopRow &row(int r) const { return rows[static_cast<size_t>(r)]; }
    /// The first row of the lowered node or, when the node has none of its own (a block), of the first one after it.
    [[nodiscard]] int rowAt(int node) const;
};
using LoopTreePtr = std::shared_ptr<const LoopTree>;

LoopTreePtr makeLoopTree(const Representations &representations, const Target &target);
/// Only the rows of one stage and what encloses them.
LoopTreePtr onlyStage(const LoopTree &tree, const QString &stage);

QString loopKindText(LoopKind kind); // "parallel", "for"
QString rowText(const LoopRow &row); // one line, as in the first column
/// Indented, with extents and storage: what is copied and exported.
QString loopTreeText(const LoopTree &tree, const std::vector<int> &rows = {});
QStringList loopColumnNames();
/// Cells by column; those that say why are empty, as the row does not know (LoopReasons).
QStringList loopColumns(const LoopRow &row);

} // namespace loopscope
