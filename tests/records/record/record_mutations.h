#pragma once
// Lines of real logs, changed as a broken disk, another program or an enemy would change them. The n-th line of a seed
// is always the same.

#include <cstdint>
#include <string>
#include <vector>

namespace loopscope {

/// `lines`: of one workload; at least one.
std::string mutatedLine(const std::vector<std::string> &lines, uint64_t seed, uint64_t number);

} // namespace loopscope
