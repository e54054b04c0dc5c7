#pragma once
// Workloads that everybody's first logs are of: the functions of the tutorials, under their names.

#include "records/resolve/te_file.h"

#include <vector>

namespace loopscope {

const std::vector<TeFile> &knownFunctions();

} // namespace loopscope
