#pragma once
// Whether a child was ended by somebody (a user, a job scheduler, a script that cleans up), and not by what it did.

#include <cstdint>
#include <optional>
#include <string>

namespace loopscope {

/// How many processes the system has ended for want of memory; nothing where it does not say.
std::optional<uint64_t> memoryKills();

/// Of a wait status: a signal that no fault of the child's own sends. SIGKILL is one unless the system ran out of
/// memory meanwhile, or does not say (`before`: memoryKills() when the child was given its work).
bool wasKilledOutside(int status, std::optional<uint64_t> before);

/// What such a child was given to do is tried again, so many times.
inline constexpr int kTriesAgain = 2;
/// "the compiler was killed (SIGKILL) from outside in each of 3 tries, which says nothing of the candidate".
std::string killedOutsideText(const std::string &who, const std::string &ending);

} // namespace loopscope
