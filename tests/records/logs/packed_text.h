#pragma once
// Archives for tests.

#include <string>
#include <string_view>

namespace loopscope {

std::string gzipped(std::string_view text);
std::string zstandard(std::string_view text);
std::string packed(bool zstd, std::string_view text);

} // namespace loopscope
