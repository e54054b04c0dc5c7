#pragma once
// What passes did to one node, out of all they reported.

#include "networks/passes/pass_report.h"

#include <string_view>

namespace loopscope::test {

/// What happened to a node of the imported network or to one that a pass made, and then to what stood for it, in
/// order; nothing when it is still there as it was.
std::vector<PassEvent> storyOf(const PassReport &report, std::string_view node);
/// The same as lines, one an event; or that nothing happened to it.
std::string storyText(const PassReport &report, std::string_view node);

} // namespace loopscope::test
