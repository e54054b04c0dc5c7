#pragma once
// The few functions a kernel calls, passed as a table so that kernel objects resolve nothing of ours at load time.
// Plain C layout: generated LLVM code indexes the fields by position.

#include <cstdint>

extern "C" {

struct LoopscopeRuntime {
    /// Runs body(begin, end, context) over a partition of [0, count) on all threads of the pool and waits.
    void (*parallelFor)(void (*body)(int64_t begin, int64_t end, void *context), int64_t count, void *context);
    /// 64-byte aligned memory, uninitialised; never null (a failed allocation ends the process with exit code 137).
    void *(*allocate)(int64_t bytes);
    void (*release)(void *memory);
};

using LoopscopeKernel = void (*)(void *const *args, const LoopscopeRuntime *runtime);
}

namespace loopscope {

inline constexpr const char *kKernelEntry = "loopscope_kernel"; // symbol of the LoopscopeKernel in an object

} // namespace loopscope
