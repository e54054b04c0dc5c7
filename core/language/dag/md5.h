#pragma once
// Task keys are MD5 digests because Ansor's are; nothing here needs to be secure.

#include <string>
#include <string_view>

namespace loopscope {

/// 32 lower-case hex digits.
std::string md5Hex(std::string_view text);

} // namespace loopscope
