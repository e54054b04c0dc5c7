#pragma once
// The manual page loopscope(1), in the language of man(7); its options are those that the command line is read with.

#include <string>

namespace loopscope {

std::string windowManualPage();

} // namespace loopscope
