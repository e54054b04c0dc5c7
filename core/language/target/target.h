#pragma once
// Which machine a kernel is for. Printed and parsed as TVM's target string (`KIND -keys=... -name=value`), so records
// stay readable both ways.

#include "language/target/gpu_limits.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace loopscope {

enum class TargetKind : uint8_t { Llvm, Cuda };

/// Ansor's eight hardware parameters, in the order of a record.
struct HardwareParams {
    int numCores = 1;
    int vectorUnitBytes = 64;
    int cacheLineBytes = 64;
    int maxSharedMemoryPerBlock = 0;
    int maxLocalMemoryPerBlock = 0;
    int maxThreadsPerBlock = 0;
    int maxVthreadExtent = 0;
    int warpSize = 0;
    bool operator==(const HardwareParams &) const = default;
};

struct Target {
    TargetKind kind = TargetKind::Llvm;
    std::string keys = "cpu";                 // comma-joined
    std::map<std::string, std::string> attrs; // mcpu, num-cores, mattr, arch, ... in name order
    HardwareParams hardware;
    // Beyond Ansor's string, detected for the host or taken from mcpu:
    std::string cpu;      // LLVM CPU name used for code generation ("znver3")
    std::string features; // LLVM feature string, "+avx2,+fma,..."; empty = those of `cpu`
    int vectorBytes = 32; // real width of a vector register
    int vectorRegisters = 16;
    int64_t l1Bytes = 32 * 1024;
    int64_t l2Bytes = 512 * 1024;
    int64_t l3Bytes = 8 * 1024 * 1024;
    /// Stores a parallel loop must execute to be worth the waking of a thread pool, which takes some microseconds: as
    /// long as so many scalar stores. With less work it runs serially.
    int64_t minParallelStores = 8192;
    GpuLimits gpu; // cuda: of its architecture and model

    bool operator==(const Target &) const = default;
    [[nodiscard]] bool isGpu() const { return kind == TargetKind::Cuda; }
    [[nodiscard]] std::string text() const; // `llvm -keys=cpu -mcpu=znver3 -num-cores=2`
};

/// Parses `llvm`, `llvm -mcpu=… -num-cores=2`, `cuda …`, or a full string from a record. What is left out is detected
/// from this machine (llvm: cpu, features, cores, caches; cores also from LOOPSCOPE_NUM_CORES) or set to Ansor's
/// conformance default for cuda (48 KiB shared, 1024 threads, warp 32). Throws Error for an unknown kind or attribute
/// value.
Target parseTarget(std::string_view text);

} // namespace loopscope
