#pragma once
// The three files of a kernel with its check, in C and, for GPUs, in CUDA C++ with a main in C. Internal to export.

#include "records/export/kernel_source.h"

namespace loopscope {

struct CFiles {
    KernelSource kernel;
    ExportedFiles files; // STEM.c or STEM.cu, STEM.h, STEM_main.c
};

/// Refused when the schedule cannot be lowered or its answer not be checked.
Outcome<CFiles> cFiles(const ExportRequest &request);

} // namespace loopscope
