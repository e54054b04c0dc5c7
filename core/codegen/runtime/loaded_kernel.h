#pragma once
// Kernels made callable in this process, and the memory they run on. Only workers and benchmarks run kernels; the
// parent never does, except `bench`, which runs kernels that a worker has verified.

#include "codegen/runtime_abi.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace loopscope {

const LoopscopeRuntime &kernelRuntime();

/// Opens what kernels may call, libm and libmvec, for a process that will not be allowed to later.
void openMathLibraries();

/// Links the object into executable memory (LLVM ORC JIT linker). libm and libmvec symbols resolve from the process.
class LoadedKernel {
  public:
    /// Throws Error naming an unresolved symbol.
    explicit LoadedKernel(const std::vector<char> &object, const std::string &entry = kKernelEntry);
    ~LoadedKernel();
    LoadedKernel(LoadedKernel &&) noexcept;
    LoadedKernel &operator=(LoadedKernel &&) noexcept;
    void operator()(void *const *args, const LoopscopeRuntime &runtime = kernelRuntime()) const;

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

/// Threads a kernel's parallel loops use from now on in this process (OpenMP pool).
void setKernelThreads(int threads);

/// While it lives, the calling thread stays on the first processor the process may use; the pool's threads have the
/// next ones. Free to move, it can be woken where a pool thread that cannot move waits for it, call after call: of a
/// kernel of 60 us that made 1400. Outside of timings it is free, so that threads and processes it makes are, too.
class CallerStays {
  public:
    CallerStays();
    ~CallerStays();
    CallerStays(const CallerStays &) = delete;
    CallerStays &operator=(const CallerStays &) = delete;

  private:
    std::array<std::byte, 128> m_before{}; // processors it might use
    bool m_moved = false;
};

/// Memory with an inaccessible page after its last byte and before its first page, so that a write past the buffer
/// faults. The first element is 64-byte aligned when `alignFront`; otherwise the last byte touches the guard page.
class GuardedBuffer {
  public:
    GuardedBuffer(size_t bytes, bool alignFront);
    ~GuardedBuffer();
    GuardedBuffer(GuardedBuffer &&other) noexcept;
    GuardedBuffer &operator=(GuardedBuffer &&other) noexcept;
    [[nodiscard]] void *data() const { return m_data; }
    [[nodiscard]] size_t bytes() const { return m_bytes; }

  private:
    void *m_map = nullptr;
    size_t m_mapBytes = 0;
    void *m_data = nullptr;
    size_t m_bytes = 0;
};

} // namespace loopscope
