#pragma once
// The passes of lower(), one file each. Each takes a numbered, verified program and leaves one; nodes are built in the
// current arena. Which of them run for a kind of target, and in what order, stands in pass_list.cpp.

#include "base/outcome.h"
#include "codegen/loop_ir/program.h"
#include "language/target/target.h"
#include "schedule/loop_state.h"

#include <optional>

namespace loopscope {

struct PassContext {
    const LoopState &state;
    const Target &target;
    int layoutRewrite = 0; // LowerOptions::layoutRewrite
};

// --- For processors -------------------------------------------------------------------------------------------------

/// Annotations that cannot be meant as they stand become serial loops: a parallel loop inside a parallel loop, a
/// parallel or vectorized loop that carries a reduction, a parallel loop whose work is not worth the start of threads.
/// First, so that no later pass meets them.
void legaliseAnnotations(LoopProgram &program, const PassContext &context);

/// Shrinks every intermediate to the region that is needed at a time, rebases its indices, applies storage_align, puts
/// small ones on the stack and moves allocations out of serial loops.
/// Early, because the passes after it reason about indices, which are shorter then.
void allocateBuffers(LoopProgram &program, const PassContext &context);

/// Lays weights out in the order the loops read them, inside the kernel (1) or by its caller (2).
/// After buffers are allocated, while every load stands in the program once.
void rewriteLayouts(LoopProgram &program, const PassContext &context);

/// Lays copies of a tensor (cache reads) out in the order their reader reads them. Changes nothing a caller sees.
/// After buffers are allocated, for the same reason.
void packCopies(LoopProgram &program, const PassContext &context);

/// Lays intermediates out along the vectors that run through them most often. After copies are packed: what is packed
/// in the order it is read stays so.
void transposeBuffers(LoopProgram &program, const PassContext &context);

/// Splits tiles of reductions whose terms are known to be zero unless a sum of loop variables leaves a certain
/// remainder (transposed convolutions) into phases that add the other terms only.
/// After inits are sunk, since a tile and its init are split together; before tails are split off, which takes apart
/// what a phase has of them.
void splitPhases(LoopProgram &program, const PassContext &context);

/// Takes guards of non-dividing splits and padding conditions away from where the time goes: interior tiles run
/// without. After buffers are allocated; before everything that wants constant trip counts and unguarded tiles.
void partitionLoops(LoopProgram &program, const PassContext &context);

/// Lets vectors that read through clamps, but nowhere near an edge, load without them. After partitions, so that tails
/// are vectors of their own.
void separateClamps(LoopProgram &program, const PassContext &context);

/// Moves a reduction's init nest inward, next to the reduce loops it starts.
/// Before tails are split off, so that a tile's init and its reduce loops are split together; and again after it, for
/// what has one trip count only then; right before accumulators are kept in registers, which saves the reading of what
/// was just written.
void sinkInits(LoopProgram &program, const PassContext &context);

/// Keeps the elements a reduction accumulates in registers across its reduce loops, where they fit.
/// After buffers are allocated (indices are short and aliases gone) and tails are split off (a guarded tile cannot be
/// kept); before unrolling, which counts what it leaves.
void promoteScalars(LoopProgram &program, const PassContext &context);

/// Moves the choices of padding out of the sums they add zeros to, so that these terms are skipped.
/// After accumulators are kept in registers: how large a tile is then shows which branches are taken once for it.
void skipPadding(LoopProgram &program, const PassContext &context);

/// Lets the greatest of a row that a softmax subtracts lose what is no number, since its readers know it anyway.
/// After the passes that look for the reductions of a workload by what they combine with.
void loosenExtremes(LoopProgram &program, const PassContext &context);

/// Marks the loops that auto_unroll_max_step asks to unroll. Late: the count of steps inside is what will be emitted.
/// On every kind of target.
void unrollLoops(LoopProgram &program, const PassContext &context);

// --- For GPUs -------------------------------------------------------------------------------------------------------

/// Parallel loops become serial: a GPU's threads are bound. First, so that no later pass meets them.
void legaliseGpuAnnotations(LoopProgram &program, const PassContext &context);

/// Lets every thread add up in memory of its own; of a reduction whose loops are bound to threads, a part, and lets the
/// threads combine the parts, within warps by shuffles. Refuses those whose result stays with a thread that others of
/// the same axis take for theirs. Before threads are bound, while loops still say which of them reduce.
std::optional<Refusal> reduceAcrossThreads(LoopProgram &program, const PassContext &context);

/// Makes one kernel of each stage at root and what is computed inside it: block loops outermost, then thread loops,
/// then what a thread does. Decides which memory each intermediate lies in. Refuses reductions across blocks, results
/// in memory that those who read them do not see, and more threads than a block has. Before buffers are allocated,
/// whose place follows from it.
std::optional<Refusal> bindThreads(LoopProgram &program, const PassContext &context);

/// As allocateBuffers; shared memory is allocated by blocks, local memory by threads. Refuses more local memory than
/// there is.
std::optional<Refusal> allocateGpuBuffers(LoopProgram &program, const PassContext &context);

/// As rewriteLayouts; refuses to lay weights out inside the program (1).
std::optional<Refusal> rewriteGpuLayouts(LoopProgram &program, const PassContext &context);

/// Moves loops over virtual threads inward, so that what is the same for all of them, the fetching of shared tiles
/// above all, is done once. After buffers are allocated, which then get a dimension for it; before barriers, of which
/// fewer are needed.
void interleaveVThreads(LoopProgram &program, const PassContext &context);

/// Lets the threads of a block wait for each other where they hand on values in shared memory.
/// After buffers are allocated; before unrolling, so that a loop's body is looked at once.
void placeBarriers(LoopProgram &program, const PassContext &context);

/// Lets the next tile of shared memory be fetched while a block computes with this one, where that costs no block on a
/// multiprocessor. After barriers are placed, of which one a round is left.
void prefetchTiles(LoopProgram &program, const PassContext &context);

/// Gives shared buffers that are not alive at the same time the same bytes, with a barrier between where none stands.
/// Refuses more than there is. After tiles are prefetched, which makes some of them larger and longer-lived; where
/// there is nothing to share every buffer keeps bytes of its own, and allocations say nothing.
std::optional<Refusal> reuseSharedMemory(LoopProgram &program, const PassContext &context);

/// Takes conditions out of the loops they do not depend on, and out of vectors that they hold for as a whole or not at
/// all. Never around a barrier. After tiles are prefetched, which copies conditions.
void hoistConditions(LoopProgram &program, const PassContext &context);

} // namespace loopscope
