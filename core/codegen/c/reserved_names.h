#pragma once
// Names that mean something in C text already, so that no tensor, axis or kernel may have them.

#include <set>
#include <string_view>

namespace loopscope {

/// The words among them.
const std::set<std::string_view> &wordsReservedInC();

/// Names with a leading underscore belong to the compiler: all of them.
bool isReservedInC(std::string_view name);

} // namespace loopscope
