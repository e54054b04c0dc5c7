#pragma once
// The type of a pattern against tensors, as the machine does it over and over: where all dims are numbers and single
// symbols, without looking up a name; all else is `matchDims`, which also says what is wrong.

#include "deploy/vm/program.h"
#include "networks/graph/dim_match.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace loopscope {

/// The integer registers of a call, and which of them have a number.
struct IntegerRegisters {
    std::span<int64_t> numbers;
    std::span<uint8_t> held;
};

class PatternMatch {
  public:
    PatternMatch() = default;
    PatternMatch(const BytecodeFunction &function, Dims dims);
    /// Gives new symbols their numbers; changes nothing when something does not fit.
    [[nodiscard]] std::optional<DimMismatch> match(std::span<const int64_t> actual,
                                                   const IntegerRegisters &registers) const;
    /// With the numbers of symbols; nothing when one has none or the result does not fit 64 bits.
    [[nodiscard]] std::optional<std::vector<int64_t>> dims(const IntegerRegisters &registers) const;

  private:
    struct Axis {
        int symbol = -1; // its register; -1: a number
        int64_t number = 0;
    };
    [[nodiscard]] SymbolNumbers numbersOf(const IntegerRegisters &registers) const;
    [[nodiscard]] bool plainMatch(std::span<const int64_t> actual, const IntegerRegisters &registers) const;

    Dims m_dims;
    std::vector<std::pair<std::string, int>> m_symbols; // those of the dims, with their registers
    std::vector<Axis> m_plain;                          // empty: some dim is neither a number nor a symbol
};

} // namespace loopscope
