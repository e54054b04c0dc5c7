#pragma once
// 128 bits that stand for content: of tensors, whatever their storage, and of what holds them. Equal content has equal
// hashes in every process and on every machine; different content has different ones, for all that happens by chance
// (nothing here withstands somebody who searches for collisions).

#include "language/tensor/host_tensor.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace loopscope {

struct Hash128 {
    uint64_t high = 0;
    uint64_t low = 0;
    auto operator<=>(const Hash128 &) const = default;
    /// 32 hexadecimal digits.
    [[nodiscard]] std::string text() const;
};

/// What is added counts with its order and its borders: "ab", "c" is not "a", "bc".
class ContentHasher {
  public:
    void add(uint64_t word);
    void add(std::string_view text);
    void add(std::span<const std::byte> bytes);
    void add(const Hash128 &hash) {
        add(hash.high);
        add(hash.low);
    }
    [[nodiscard]] Hash128 finish() const;

  private:
    uint64_t m_high = 0x243F6A8885A308D3ULL;
    uint64_t m_low = 0x13198A2E03707344ULL;
};

/// Of type, dims and bits: the same for a splat and for dense storage that holds the same.
Hash128 contentHash(const HostTensor &tensor);

} // namespace loopscope
