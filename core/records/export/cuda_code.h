#pragma once
// The CUDA C++ of a schedule for a GPU as a file to take away, and the function of the host that makes a call of C of
// it. Internal to export.

#include "records/export/kernel_source.h"

#include <string>

namespace loopscope {

struct LoopProgram;

/// Text of STEM.cu: what it is, its kernels and the function that launches them. Refused what emitCuda refuses.
Outcome<std::string> cudaCode(const KernelSource &kernel, const LoopProgram &program, const ExportRequest &request);

/// `NAME_on_host`: takes memory of the host, copies, launches, copies back, and times.
std::string onHostName(const KernelSource &kernel);
std::string cudaOnHost(const KernelSource &kernel);

/// "nvcc -O3 -arch=sm_80 ".
std::string nvccCommand(const Target &target);

} // namespace loopscope
