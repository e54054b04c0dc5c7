#pragma once
// Two hashes of a list of steps, made as its numbers come: of all it says, and of its structure, which leaves out split
// lengths and the values of pragmas. They depend on what a step says, not on how a line spells it.

#include "schedule/step.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace loopscope {

class StepHash {
  public:
    /// Of the list and of its structure.
    void add(uint64_t number) {
        addValue(number);
        m_structure = std::rotl((m_structure ^ number) * kFactor, 29);
    }
    /// Of the list alone.
    void addValue(uint64_t number) { m_steps = std::rotl((m_steps ^ number) * kFactor, 29); }
    void add(std::string_view text) {
        eachWord(text, [this](uint64_t word) { add(word); });
        end();
    }
    /// What stands behind '$' is the pragma's value.
    void addPragma(std::string_view text) {
        const size_t name = std::min(text.find('$'), text.size());
        eachWord(text.substr(0, name), [this](uint64_t word) { add(word); });
        end();
        eachWord(text.substr(name), [this](uint64_t word) { addValue(word); });
        end();
    }
    /// Of a list of numbers, or of a text.
    void end() {
        m_steps = std::rotl(m_steps * kEndFactor, 31);
        m_structure = std::rotl(m_structure * kEndFactor, 31);
    }

    [[nodiscard]] uint64_t steps() const { return finished(m_steps); }
    [[nodiscard]] uint64_t structure() const { return finished(m_structure); }

  private:
    static constexpr uint64_t kFactor = 0x9E3779B97F4A7C15ull;
    static constexpr uint64_t kEndFactor = 0xD1B54A32D192ED03ull;
    static void eachWord(std::string_view text, auto &&take) {
        for (size_t at = 0; at < text.size(); at += sizeof(uint64_t)) {
            uint64_t word = 0;
            std::memcpy(&word, text.data() + at, std::min(text.size() - at, sizeof word));
            take(word);
        }
        take(text.size()); // a text may end in zeros
    }
    static uint64_t finished(uint64_t hash) {
        hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9ull;
        hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBull;
        return hash ^ (hash >> 31);
    }
    uint64_t m_steps = 0x2545F4914F6CDD1Dull;
    uint64_t m_structure = 0x2545F4914F6CDD1Dull;
};

/// A step begins with its tag, as the letters that a log has, up to four.
constexpr uint64_t stepTagNumber(std::string_view tag) {
    uint64_t number = 0;
    for (const char c : tag) number = number << 8 | static_cast<unsigned char>(c);
    return number;
}

void addStep(StepHash &hash, const Step &step);

} // namespace loopscope
