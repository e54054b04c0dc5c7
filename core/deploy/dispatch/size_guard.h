#pragma once
// A condition on a size that a dispatch table can ask at run time: within limits, and with one of some rests.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace loopscope {

struct SizeGuard {
    int64_t least = 1;
    int64_t most = 1;
    int64_t modulus = 1;
    std::vector<int64_t> rests = {0}; // of size mod modulus, ascending

    [[nodiscard]] bool holds(int64_t size) const;
    /// "n = 64", "17 <= n <= 32 and n mod 16 is 0, 8..15".
    [[nodiscard]] std::string text(const std::string &symbol) const;
    /// Of rests that follow one another.
    [[nodiscard]] size_t runs() const;
    /// No size is meant by both.
    [[nodiscard]] bool disjointWith(const SizeGuard &other) const;
    bool operator==(const SizeGuard &) const = default;
};

/// The guard within limits that covers most of `wanted` and nothing that is not in `allowed` (both by size - 1), with
/// the least modulus; one without rests where it would cover nothing.
SizeGuard guardFor(int64_t least, int64_t most, const std::vector<bool> &allowed, const std::vector<bool> &wanted);

} // namespace loopscope
