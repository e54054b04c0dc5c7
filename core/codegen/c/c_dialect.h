#pragma once
// What differs between the languages that expressions are printed in, C17 and CUDA C++: names of types, helper
// functions, what has an operator or a function of its own. Structure, parentheses and the order of operations are the
// same for all (c_expr.h).

#include "language/expr/expr.h"

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace loopscope {

class CDialect {
  public:
    CDialect() = default;
    virtual ~CDialect() = default;
    CDialect(const CDialect &) = delete;
    CDialect &operator=(const CDialect &) = delete;

    [[nodiscard]] virtual std::string_view typeName(DType type) const = 0;    // of a value
    [[nodiscard]] virtual std::string_view storageName(DType type) const = 0; // of an element in memory
    /// The unsigned type of that many bits: 8, 32 or 64.
    [[nodiscard]] virtual std::string_view unsignedName(int bits) const = 0;
    [[nodiscard]] virtual std::string_view minInt64() const = 0;
    /// Not a number (NaN) or infinite.
    [[nodiscard]] virtual std::string specialFloat(double value, bool isDouble) const = 0;
    /// float16 is a type that converts by a cast; otherwise helpers convert its bits, as those of bfloat16.
    [[nodiscard]] virtual bool hasFloat16() const = 0;
    /// Integers that fit are computed in 32 bits, otherwise all in 64.
    [[nodiscard]] virtual bool narrowIntegers() const = 0;
    /// Before the definition of a table of constants.
    [[nodiscard]] virtual std::string_view tableQualifiers() const = 0;
    /// A name no tensor, axis or kernel may have.
    [[nodiscard]] virtual bool reserves(std::string_view name) const = 0;
    /// Every helper function a text may need, by name.
    [[nodiscard]] virtual const std::map<std::string, std::string> &helpers() const = 0;
    /// A call that the language has a word of its own for; empty: the general form.
    [[nodiscard]] virtual std::string call(Expr e, std::span<const std::string> args) const = 0;
};

/// C17.
const CDialect &cDialect();

} // namespace loopscope
