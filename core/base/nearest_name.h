#pragma once
// Which name somebody meant who mistyped one.

#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

/// The candidate nearest to `name` by edit distance, near enough to be a typing mistake; empty when there is none.
std::string nearestName(std::string_view name, const std::vector<std::string> &candidates);
/// " (did you mean `kernel`?)" or nothing.
std::string suggestion(std::string_view name, const std::vector<std::string> &candidates);

} // namespace loopscope
