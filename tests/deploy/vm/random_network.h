#pragma once
// A network that nobody thought of: branches, loops, calls, sizes that are found out in a run, operators on small
// tensors. The same seed makes the same text.

#include <cstdint>
#include <string>

namespace loopscope {

/// `.net` text of `main(x0: float32[s], y: float32[s, 2], c: bool[])`.
std::string randomNetwork(uint64_t seed);

} // namespace loopscope
