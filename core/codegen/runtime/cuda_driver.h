#pragma once
// The CUDA driver, opened at run time: what of its interface is used, declared here after NVIDIA's documentation of it
// (CUDA Driver API). Nothing of CUDA is needed to build; a machine without a driver learns so in a sentence.
//
// Only for processes with nothing to lose (workers): initialising takes a good part of a second, starts threads, keeps
// memory of the device, and no fork of the process can use the device any more.

#include "base/outcome.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace loopscope {

namespace cuda {

using Result = int;
using Device = int;
using DevicePointer = uint64_t;
using Context = struct ContextObject *;
using Module = struct ModuleObject *;
using Function = struct FunctionObject *;
using Event = struct EventObject *;
using Stream = struct StreamObject *;

inline constexpr Result kSuccess = 0;
inline constexpr Result kNoDevice = 100;

/// CUdevice_attribute.
enum Attribute : int {
    MaxThreadsPerBlock = 1,
    MaxSharedMemoryPerBlock = 8,
    WarpSize = 10,
    MaxRegistersPerBlock = 12,
    ClockRate = 13, // kHz
    MultiprocessorCount = 16,
    MemoryClockRate = 36, // kHz
    GlobalMemoryBusWidth = 37,
    L2CacheSize = 38,
    MaxThreadsPerMultiprocessor = 39,
    ComputeCapabilityMajor = 75,
    ComputeCapabilityMinor = 76,
    MaxSharedMemoryPerMultiprocessor = 81,
    MaxRegistersPerMultiprocessor = 82,
    MaxSharedMemoryPerBlockOptin = 97,
    MaxBlocksPerMultiprocessor = 106,
    ReservedSharedMemoryPerBlock = 111,
};

/// CUjit_option.
enum JitOption : int { ErrorLogBuffer = 5, ErrorLogBufferSizeBytes = 6 };

/// CUfunction_attribute.
enum FunctionAttribute : int { MaxDynamicSharedSizeBytes = 8 };

struct Functions {
    Result (*init)(unsigned flags) = nullptr;
    Result (*errorName)(Result, const char **) = nullptr;
    Result (*errorString)(Result, const char **) = nullptr;
    Result (*deviceCount)(int *) = nullptr;
    Result (*deviceGet)(Device *, int ordinal) = nullptr;
    Result (*deviceName)(char *, int bytes, Device) = nullptr;
    Result (*deviceAttribute)(int *, Attribute, Device) = nullptr;
    Result (*deviceTotalMemory)(size_t *, Device) = nullptr;
    Result (*primaryContextRetain)(Context *, Device) = nullptr;
    Result (*primaryContextRelease)(Device) = nullptr;
    Result (*contextSetCurrent)(Context) = nullptr;
    Result (*contextSynchronize)() = nullptr;
    Result (*moduleLoad)(Module *, const void *image, unsigned options, JitOption *, void **values) = nullptr;
    Result (*moduleUnload)(Module) = nullptr;
    Result (*moduleFunction)(Function *, Module, const char *name) = nullptr;
    Result (*functionSetAttribute)(Function, FunctionAttribute, int) = nullptr;
    Result (*memoryAllocate)(DevicePointer *, size_t) = nullptr;
    Result (*memoryFree)(DevicePointer) = nullptr;
    Result (*copyToDevice)(DevicePointer, const void *, size_t) = nullptr;
    Result (*copyToHost)(void *, DevicePointer, size_t) = nullptr;
    Result (*fill)(DevicePointer, unsigned char, size_t) = nullptr;
    Result (*fillLater)(DevicePointer, unsigned char, size_t, Stream) = nullptr; // does not wait for its end
    Result (*eventCreate)(Event *, unsigned flags) = nullptr;
    Result (*eventDestroy)(Event) = nullptr;
    Result (*eventRecord)(Event, Stream) = nullptr;
    Result (*eventSynchronize)(Event) = nullptr;
    Result (*eventElapsed)(float *milliseconds, Event begin, Event end) = nullptr;
    Result (*launch)(Function, unsigned blocksX, unsigned blocksY, unsigned blocksZ, unsigned threadsX,
                     unsigned threadsY, unsigned threadsZ, unsigned sharedBytes, Stream, void **parameters,
                     void **extra) = nullptr;
};

} // namespace cuda

/// The driver of this process, initialised.
class CudaDriver {
  public:
    /// Opens `libcuda.so.1`, or what LOOPSCOPE_CUDA_DRIVER names. Refused without a driver, with one that is too old or
    /// fails, and without a GPU. Of several GPUs the first that CUDA_VISIBLE_DEVICES names is the one there is.
    static Outcome<CudaDriver> open();
    /// Why there is none to open, as open() says it; empty: there is. Initialises nothing, for any process.
    static std::string whyMissing();

    const cuda::Functions *operator->() const { return &m_functions; }
    /// "CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
    [[nodiscard]] std::string text(cuda::Result result) const;
    /// Throws Error "`what`: CUDA_ERROR_..." unless it succeeded.
    void check(cuda::Result result, const std::string &what) const;
    [[nodiscard]] int attribute(cuda::Attribute attribute, cuda::Device device) const; // 0: it does not say

  private:
    cuda::Functions m_functions;
};

} // namespace loopscope
