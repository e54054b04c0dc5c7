#pragma once
// What is known to hold for a whole network between passes: what some need, one makes true, and others may break.

#include <cstdint>
#include <initializer_list>
#include <string>

namespace loopscope {

enum class Fact : uint8_t {
    Types,     // every value has a type
    Canonical, // only the canonical forms of operators (canonicalise.cpp lists what that leaves)
};
inline constexpr int kFactCount = 2;

/// "types", "canonical".
std::string factName(Fact fact);

class Facts {
  public:
    Facts() = default;
    Facts(std::initializer_list<Fact> facts) {
        for (const Fact fact : facts) m_bits |= bit(fact);
    }
    static Facts all() {
        Facts facts;
        facts.m_bits = (1U << kFactCount) - 1;
        return facts;
    }

    [[nodiscard]] bool has(Fact fact) const { return (m_bits & bit(fact)) != 0; }
    [[nodiscard]] Facts with(Facts other) const { return Facts(m_bits | other.m_bits); }
    [[nodiscard]] Facts onlyThoseOf(Facts other) const { return Facts(m_bits & other.m_bits); }
    bool operator==(const Facts &) const = default;

  private:
    explicit Facts(unsigned bits) : m_bits(bits) {}
    static unsigned bit(Fact fact) { return 1U << static_cast<unsigned>(fact); }
    unsigned m_bits = 0;
};

} // namespace loopscope
