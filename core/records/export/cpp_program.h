#pragma once
// A program that makes the kernel again through Loopscope's own library: the schedule as a list of steps in C++, each
// under its line of script. Internal to export.

#include "records/export/export_schedule.h"

namespace loopscope {

/// STEM.cpp and its CMakeLists.txt. Refused when the schedule does not apply.
Outcome<ExportedFiles> cppProgram(const ExportRequest &request);

} // namespace loopscope
