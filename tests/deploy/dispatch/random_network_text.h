#pragma once
// A random network with an open size n, as text: what is done along n and beside it.

#include "base/random.h"

#include <string>

namespace loopscope {

std::string randomNetworkText(Random &random);

} // namespace loopscope
