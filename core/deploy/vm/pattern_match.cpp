#include "deploy/vm/pattern_match.h"

#include <algorithm>
#include <utility>

namespace loopscope {

PatternMatch::PatternMatch(const BytecodeFunction &function, Dims dims) : m_dims(std::move(dims)) {
    bool plain = true;
    for (const Dim &dim : m_dims) {
        const std::vector<std::string> symbols = dim.symbols();
        for (const std::string &symbol : symbols) {
            const int number = function.symbols.find(symbol)->second;
            if (std::none_of(m_symbols.begin(), m_symbols.end(), [&](const auto &one) { return one.second == number; }))
                m_symbols.emplace_back(symbol, number);
        }
        if (dim.isConstant())
            m_plain.push_back({-1, dim.value()});
        else if (symbols.size() == 1 && dim == Dim::symbol(symbols[0]))
            m_plain.push_back({function.symbols.find(symbols[0])->second, 0});
        else
            plain = false;
    }
    if (!plain) m_plain.clear();
}

SymbolNumbers PatternMatch::numbersOf(const IntegerRegisters &registers) const {
    SymbolNumbers numbers;
    for (const auto &[symbol, number] : m_symbols)
        if (const auto at = static_cast<size_t>(number); registers.held[at] != 0)
            numbers.emplace(symbol, registers.numbers[at]);
    return numbers;
}

bool PatternMatch::plainMatch(std::span<const int64_t> actual, const IntegerRegisters &registers) const {
    constexpr uint8_t isNew = 2;
    bool fits = true;
    for (size_t i = 0; i < actual.size() && fits; ++i) {
        const Axis &axis = m_plain[i];
        if (axis.symbol < 0) {
            fits = fits && actual[i] == axis.number;
            continue;
        }
        const auto at = static_cast<size_t>(axis.symbol);
        if (registers.held[at] == 0) {
            registers.held[at] = isNew;
            registers.numbers[at] = actual[i];
        } else if (registers.numbers[at] != actual[i]) {
            fits = false;
        }
    }
    for (const auto &[symbol, number] : m_symbols)
        if (uint8_t &held = registers.held[static_cast<size_t>(number)]; held == isNew) held = fits ? 1 : 0;
    return fits;
}

std::optional<DimMismatch> PatternMatch::match(std::span<const int64_t> actual,
                                               const IntegerRegisters &registers) const {
    if (m_plain.size() == m_dims.size() && plainMatch(actual, registers)) return std::nullopt;
    SymbolNumbers numbers = numbersOf(registers);
    if (auto wrong = matchDims(m_dims, actual, numbers)) return wrong;
    for (const auto &[symbol, number] : m_symbols) {
        const auto at = static_cast<size_t>(number);
        registers.held[at] = 1;
        registers.numbers[at] = numbers.find(symbol)->second;
    }
    return std::nullopt;
}

std::optional<std::vector<int64_t>> PatternMatch::dims(const IntegerRegisters &registers) const {
    const SymbolNumbers numbers = numbersOf(registers);
    std::vector<int64_t> dims;
    for (const Dim &dim : m_dims) {
        const auto number = dim.evaluate(numbers);
        if (!number) return std::nullopt;
        dims.push_back(*number);
    }
    return dims;
}

} // namespace loopscope
