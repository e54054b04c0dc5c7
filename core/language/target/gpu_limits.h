#pragma once
// What a GPU gives to the blocks that run on one of its multiprocessors, and how fast it is: what occupancy and the
// analytic estimate follow from. What a single block may ask for at most stands in HardwareParams, as Ansor has it.

#include <cstdint>
#include <string>

namespace loopscope {

struct GpuLimits {
    std::string model; // of a preset or of the driver; empty: some GPU of the architecture
    int multiprocessors = 108;
    int64_t sharedPerMultiprocessor = 164 * 1024; // bytes that blocks share
    int64_t sharedPerBlockOptIn = 163 * 1024; // most that a launch may ask for beyond the 48 KiB that are always there
    int sharedReservedPerBlock = 1024;        // bytes the system keeps of each block's
    int sharedUnit = 128;                     // bytes; requests are rounded up to it
    int registersPerMultiprocessor = 65536;   // of 32 bits
    int registersPerBlock = 65536;
    int registersPerThread = 255;
    int registerUnit = 256; // registers of a warp are rounded up to it
    int warpUnit = 4;       // warps of a block are rounded up to it when registers are given out
    int threadsPerMultiprocessor = 2048;
    int blocksPerMultiprocessor = 32;
    int floatsPerCycle = 64; // float32 multiply-adds of a multiprocessor in a cycle
    double clockGHz = 1.41;
    double memoryGBs = 1555; // of global memory
    bool operator==(const GpuLimits &) const = default;
};

} // namespace loopscope
