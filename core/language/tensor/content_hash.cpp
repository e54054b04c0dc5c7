#include "language/tensor/content_hash.h"

#include "base/random.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>

namespace loopscope {

namespace {

constexpr size_t kChunkBytes = 4096;

/// Both halves of a 128-bit product: each bit of the result depends on every bit of the factors.
uint64_t foldedProduct(uint64_t a, uint64_t b) {
    const uint128_t product = static_cast<uint128_t>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t rotated(uint64_t x, int by) { return x << by | x >> (64 - by); }

/// Of whole chunks, so that a splat can be added chunk by chunk as dense bytes are.
void addChunks(ContentHasher &hasher, const HostTensor &tensor) {
    const size_t bytes = tensor.byteSize();
    if (bytes == 0) return;
    if (!tensor.isSplat()) {
        for (size_t at = 0; at < bytes; at += kChunkBytes)
            hasher.add(std::span(tensor.bytes() + at, std::min(kChunkBytes, bytes - at)));
        return;
    }
    alignas(8) std::array<std::byte, kChunkBytes> chunk{};
    const HostTensor one = tensor.elementAt(0).dense();
    const auto size = static_cast<size_t>(dtypeBytes(tensor.dtype()));
    for (size_t at = 0; at < kChunkBytes; at += size) std::memcpy(chunk.data() + at, one.bytes(), size);
    for (size_t at = 0; at < bytes; at += kChunkBytes)
        hasher.add(std::span(chunk.data(), std::min(kChunkBytes, bytes - at)));
}

} // namespace

std::string Hash128::text() const { return fmt::format("{:016x}{:016x}", high, low); }

void ContentHasher::add(uint64_t word) {
    m_low = foldedProduct(m_low ^ word, 0x9E3779B97F4A7C15ULL ^ rotated(m_high, 23));
    m_high =
        foldedProduct(m_high ^ rotated(word, 32) ^ 0xA4093822299F31D0ULL, 0xD1B54A32D192ED03ULL) + rotated(m_low, 41);
}

void ContentHasher::add(std::string_view text) { add(std::as_bytes(std::span(text.data(), text.size()))); }

void ContentHasher::add(std::span<const std::byte> bytes) {
    add(static_cast<uint64_t>(bytes.size()));
    size_t at = 0;
    for (; at + 8 <= bytes.size(); at += 8) {
        uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, 8);
        add(word);
    }
    if (at == bytes.size()) return;
    uint64_t rest = 0;
    std::memcpy(&rest, bytes.data() + at, bytes.size() - at);
    add(rest);
}

Hash128 ContentHasher::finish() const {
    const uint64_t low = foldedProduct(m_low ^ 0xE7037ED1A0B428DBULL, rotated(m_high, 17) ^ 0x8EBC6AF09C88C6E3ULL);
    return {foldedProduct(m_high ^ 0x589965CC75374CC3ULL, low ^ 0x1D8E4E27C47D124FULL) ^ rotated(m_low, 9), low};
}

Hash128 contentHash(const HostTensor &tensor) {
    ContentHasher hasher;
    hasher.add(dtypeName(tensor.dtype()));
    hasher.add(tensor.dims().size());
    for (const int64_t dim : tensor.dims()) hasher.add(static_cast<uint64_t>(dim));
    addChunks(hasher, tensor);
    return hasher.finish();
}

} // namespace loopscope
