#pragma once
// Names that mean something in CUDA C++ beside those of C, so that no tensor, axis or kernel may have them.

#include <string_view>

namespace loopscope {

bool isReservedInCuda(std::string_view name);

} // namespace loopscope
