#pragma once
// What this machine can do at best, measured: float32 multiply-adds, and bytes read from every level of its memory. The
// rooflines that a kernel's rate is compared with; data sheets know neither the clock nor the neighbours of a machine.

#include "base/outcome.h"
#include "language/target/target.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

struct MemoryPeak {
    std::string name;   // "L1", "L2", "L3", "DRAM"
    int64_t bytes = 0;  // read over and over by one thread alone
    double gbps1 = 0;   // 1e9 bytes per second: one thread
    double gbpsAll = 0; // all threads together, each on bytes of its own
};

/// One for all cores, as the last cache and main memory are.
bool sharedByCores(const MemoryPeak &level);

struct MachinePeaks {
    std::string model; // of the processor, as the system calls it
    std::string cpu;   // as the target calls it: "znver3"
    int vectorBytes = 0;
    int threads = 1; // the cores of the target
    double gflops1 = 0;
    double gflopsAll = 0;
    std::vector<MemoryPeak> memory; // the smallest first
};

/// Takes about a second and a half and all cores of the target. Refused with a sentence when cancelled.
Outcome<MachinePeaks> measureMachinePeaks(const Target &target, const std::atomic<bool> *cancel = nullptr);

/// Of this machine, as the system calls it; empty where it does not say.
std::string processorModel();
/// They were measured on this processor, as the target calls it, with as many cores as the target has: only then may a
/// kernel's rate be divided by them.
bool peaksFit(const MachinePeaks &peaks, const Target &target);

/// JSON, one line.
std::string machinePeaksText(const MachinePeaks &peaks);
/// Refused with a sentence when the text is not what machinePeaksText writes.
Outcome<MachinePeaks> machinePeaksFromText(std::string_view text);

} // namespace loopscope
