#pragma once
// Where the shared buffers of a kernel lie in the memory of a block. Everybody asks here: the code generators, the
// launch, the limits and the executor. Which buffers lie at the same bytes one after the other is decided in lowering
// (codegen/lower/reuse_shared_memory.cpp) and stands in their allocations; buffers whose allocations say nothing lie
// one behind the other.

#include "codegen/loop_ir/program.h"

#include <cstdint>
#include <map>

namespace loopscope {

/// A buffer begins at a multiple of it: as aligned as the widest word wants it.
inline constexpr int64_t kSharedPieceAlignment = 16;

/// Bytes it takes, up to where the next one may begin.
int64_t sharedSizeOf(const Buffer &buffer);

/// Allocates a shared buffer at a byte of the block's memory, which other buffers may have before and after it.
Stmt makeAllocateAt(const Buffer &buffer, int64_t byte, Stmt body);
/// That byte; -1: wherever there is room.
int64_t allocatedAt(Stmt allocate);

struct SharedLayout {
    std::map<const Buffer *, int64_t> offsets; // only looked up
    int64_t bytes = 0;                         // of a block
    bool reused = false;                       // some bytes are of several buffers, one after the other
};

SharedLayout sharedLayoutOf(Stmt kernel);

} // namespace loopscope
