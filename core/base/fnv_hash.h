#pragma once
// FNV-1a with 64 bits. Its values stand in logs, bundles, exported programs and dispatch tables, and some of those
// compute them again: no other hash may take its place there.

#include <cstdint>
#include <string_view>

namespace loopscope {

inline constexpr uint64_t kFnvStart = 0xcbf29ce484222325;

/// `hash`: that of the bytes before these.
constexpr uint64_t fnvHash(std::string_view bytes, uint64_t hash = kFnvStart) {
    for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    return hash;
}

} // namespace loopscope
