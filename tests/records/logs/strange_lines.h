#pragma once
// Lines of logs as other programs, later versions and bad tools write them: members and elements nobody knows, another
// order and other spacing, members twice, unknown steps, values that JSON has not, marks and controls around them. The
// n-th line of a seed is always the same.

#include <cstdint>
#include <string>
#include <vector>

namespace loopscope {

/// `lines`: at least one.
std::string strangeLine(const std::vector<std::string> &lines, uint64_t seed, uint64_t number);

} // namespace loopscope
