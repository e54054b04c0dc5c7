#pragma once
// Random numbers that are the same on every machine and with any number of threads: each unit of work (an attempt at a
// state, a child of a generation) makes its own generator from (seed, stream), never from a shared one.
// xoshiro256** (Blackman, Vigna 2018), seeded by splitmix64.

#include <cstddef>
#include <cstdint>

namespace loopscope {

__extension__ using uint128_t = unsigned __int128;

class Random {
  public:
    explicit Random(uint64_t seed, uint64_t stream = 0) {
        uint64_t x = seed * 0x9E3779B97F4A7C15ull + stream * 0xD1B54A32D192ED03ull + 0x2545F4914F6CDD1Dull;
        for (auto &word : m_s) word = splitmix(x);
    }

    uint64_t next() {
        const uint64_t result = rotl(m_s[1] * 5, 7) * 9;
        const uint64_t t = m_s[1] << 17;
        m_s[2] ^= m_s[0];
        m_s[3] ^= m_s[1];
        m_s[1] ^= m_s[2];
        m_s[0] ^= m_s[3];
        m_s[2] ^= t;
        m_s[3] = rotl(m_s[3], 45);
        return result;
    }

    /// Uniform in [0, n); n > 0.
    uint64_t below(uint64_t n) { return static_cast<uint64_t>((static_cast<uint128_t>(next()) * n) >> 64); }
    size_t index(size_t n) { return static_cast<size_t>(below(n)); }
    /// Uniform in [0, 1).
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  private:
    static uint64_t rotl(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
    static uint64_t splitmix(uint64_t &x) {
        x += 0x9E3779B97F4A7C15ull;
        uint64_t z = x;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return z ^ (z >> 31);
    }
    uint64_t m_s[4];
};

} // namespace loopscope
