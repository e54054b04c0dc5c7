#pragma once
// Texts with a few characters, words or lines changed, left out, doubled or moved.

#include "base/random.h"

#include <string>

namespace loopscope {

std::string mutatedText(std::string text, Random &random);

} // namespace loopscope
