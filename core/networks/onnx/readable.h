#pragma once
// Text from a file that anybody may have written, as messages can show it: valid UTF-8, and not megabytes of it.

#include <string>
#include <string_view>

namespace loopscope {

bool isUtf8(std::string_view text);
/// Bytes that are no UTF-8, and control characters, as "\x1b"; what is longer than `most` bytes is cut.
std::string readable(std::string_view text, size_t most = 2000);

} // namespace loopscope
