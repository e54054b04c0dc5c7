#pragma once
// What a worker process does to itself before it touches anything that might misbehave.

#include <cstdint>
#include <sys/types.h>

namespace loopscope {

/// Dies with `parent` (0: whoever it is now), gains no privileges, leaves no core file.
void restrictProcess(pid_t parent);

/// Memory this process may still take beyond what it has. Counts writable private memory, not address space: code
/// generators and thread stacks reserve far more than they use. Needed for what malloc and mmap then refuse.
void limitMemory(int64_t mebibytes);

inline constexpr int kOutOfMemoryExit = 137;
/// operator new that finds no memory ends the process with kOutOfMemoryExit.
void exitWhenOutOfMemory();

} // namespace loopscope
