#pragma once
// The folder with which somebody else sees the same kernel and its time: what it computes, how it is scheduled, C with
// a check, and what was measured where. Internal to export.

#include "records/export/export_schedule.h"

namespace loopscope {

/// Refused as the C export is.
Outcome<ExportedFiles> reproducerFolder(const ExportRequest &request);

} // namespace loopscope
