#pragma once
// The three files of the C export. Internal to export.

#include "export/kernel_source.h"

namespace loopscope {

struct CFiles {
    KernelSource kernel;
    ExportedFiles files; // STEM.c, STEM.h, STEM_main.c
};

/// Refused when the schedule cannot be lowered or its answer not be checked.
Outcome<CFiles> cFiles(const ExportRequest &request);

} // namespace loopscope
