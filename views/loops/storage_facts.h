#pragma once
// Where the values of a schedule live while it runs: every buffer of the lowered program with its memory, its size and
// the smallest cache that holds it.

#include "codegen/loop_ir/program.h"
#include "language/target/target.h"

#include <QString>

#include <vector>

namespace loopscope {

struct StorageFact {
    QString buffer;
    QString stage;
    MemoryScope scope = MemoryScope::Argument;
    QString shape;
    QString type;
    int64_t bytes = 0;
    QString fits;   // "L1", "L2", "L3", "memory"; "registers" for those; a GPU's: "25 % of shared", "global"
    QString tip;    // GPUs: who sees it and how much of it there is
    QString within; // the loop it is allocated in; empty: once per call
    QString note;   // "weights, packed by the caller"
    int node = -1;  // of its allocation
};

QString scopeText(MemoryScope scope); // "argument", "heap", ...
/// The smallest cache of one core that holds the bytes: "L1", "L2", "L3"; "memory" when none does.
QString smallestCache(int64_t bytes, const Target &target);
/// What StorageFact::fits says.
QString placeText(MemoryScope scope, int64_t bytes, const Target &target);
/// One sentence: "Shared memory: the threads of a block see it, 16.0 KiB of the 48.0 KiB a block may use."
QString gpuMemoryText(MemoryScope scope, int64_t bytes, const Target &target);
/// "stack, 2.0 KiB, in L1": the smallest cache that holds it
QString storageText(MemoryScope scope, int64_t bytes, const Target &target);

} // namespace loopscope
