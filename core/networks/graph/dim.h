#pragma once
// One dimension of a tensor in a network: an integer, or an expression over symbols ("n", "4*n + 1", "floordiv(n, 2)")
// in a canonical form, so that two dims are equal when their forms are. Different forms may still be equal for every
// value of the symbols; nothing here says that they are not.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

struct DimForm;

class Dim {
  public:
    Dim(int64_t value = 0) : m_value(value) {}
    /// Any name; one that is not made of letters, digits and `_` is quoted in texts.
    static Dim symbol(std::string name);

    [[nodiscard]] bool isConstant() const { return !m_form; }
    /// Of a constant.
    [[nodiscard]] int64_t value() const;
    [[nodiscard]] std::string text() const;
    /// Names of its symbols, each once, in order.
    [[nodiscard]] std::vector<std::string> symbols() const;
    /// With numbers for symbols; nothing when one is missing or the result does not fit.
    [[nodiscard]] std::optional<int64_t> evaluate(const std::map<std::string, int64_t, std::less<>> &symbols) const;

    /// How many products it is the sum of, the constant among them.
    [[nodiscard]] size_t terms() const;
    /// With other names for symbols; those that are not named stay.
    [[nodiscard]] Dim renamed(const std::map<std::string, std::string, std::less<>> &names) const;

    /// With dims for symbols; those that are not named stay. Divisors stay at least 1 where they are constants: nothing
    /// when one would not.
    [[nodiscard]] std::optional<Dim> substituted(const std::map<std::string, Dim, std::less<>> &values) const;

    friend Dim operator+(const Dim &a, const Dim &b);
    friend Dim operator-(const Dim &a, const Dim &b);
    friend Dim operator*(const Dim &a, const Dim &b);
    /// Rounded down; the divisor is at least 1 when it is a constant.
    static Dim floorDiv(const Dim &a, const Dim &b);
    static Dim ceilDiv(const Dim &a, const Dim &b) { return floorDiv(a + b - 1, b); }
    /// Exact quotient where the form shows one (6*n by 3*n is 2).
    static std::optional<Dim> exactQuotient(const Dim &a, const Dim &b);

    bool operator==(const Dim &other) const;

  private:
    explicit Dim(std::shared_ptr<const DimForm> form);
    static Dim ofForm(DimForm form);
    [[nodiscard]] DimForm form() const;

    int64_t m_value = 0;
    std::shared_ptr<const DimForm> m_form; // null: a constant
};

/// Products of sums with more terms are not read: their texts would grow without end.
constexpr size_t kMaxDimTerms = 256;

/// "1", "n", "2*n + 1", "floordiv(n, 2)"; nothing for any other text.
std::optional<Dim> parseDim(std::string_view text);

using Dims = std::vector<Dim>;

/// Their values where all are constants.
std::optional<std::vector<int64_t>> constantDims(const Dims &dims);
Dims asDims(const std::vector<int64_t> &dims);
/// "[1, 3, n, n]".
std::string dimsText(const Dims &dims);

} // namespace loopscope
