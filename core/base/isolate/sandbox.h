#pragma once
// What a worker process does to itself before it touches anything that might misbehave.

#include <cstdint>
#include <sys/types.h>

namespace loopscope {

/// Dies with `parent` (0: whoever it is now), has and gains no privileges (a superuser's capabilities neither), leaves
/// no core file, and cannot start processes without end.
void restrictProcess(pid_t parent);

/// Writes no byte to any file from now on: SIGXFSZ ends it. Pipes and sockets are no files.
void forbidFileWrites();

// The allocators of the address and thread sanitizers keep freed memory back and reserve shadow for what they give, and
// end the process themselves when they find none: a limit would measure and end them, not the kernel.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kMemoryCanBeLimited = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kMemoryCanBeLimited = false;
#else
inline constexpr bool kMemoryCanBeLimited = true;
#endif
#else
inline constexpr bool kMemoryCanBeLimited = true;
#endif

/// Memory this process may still take beyond what it has; no limit where !kMemoryCanBeLimited. Counts writable private
/// memory, not address space: code generators and thread stacks reserve far more than they use. Needed for what malloc
/// and mmap then refuse.
void limitMemory(int64_t mebibytes);
/// Opens what limitMemory reads, for a process that will not be allowed to.
void prepareMemoryLimit();

inline constexpr int kOutOfMemoryExit = 137;
/// operator new that finds no memory ends the process with kOutOfMemoryExit.
void exitWhenOutOfMemory();

} // namespace loopscope
