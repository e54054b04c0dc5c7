#pragma once
#if __has_include("measure/machine_peaks.h")
#include "measure/machine_peaks.h"
#else
#include "target/target.h"
#include "outcome.h"
#include <atomic>
namespace loopscope {
struct MachinePeaks {};
inline MachinePeaks machinePeaksFromJson(const std::string &) { return {}; }
inline std::string machinePeaksToJson(const MachinePeaks &) { return {}; }
inline MachinePeaks measureMachinePeaks(const Target &, const std::atomic<bool> *) { throw Error("not yet"); }
}
#endif
