#pragma once
// Functions of the language that are made of others, most of them of pictures: `clamp`, `absd`, averages, and sums and
// casts that stop at the ends of the type. The names are Halide's. What they are made of is chosen so that a code
// generator finds the machine's instruction for it.

#include "language/te/language/value.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

/// clamp(x, low, high); absd(a, b), of signed integers an unsigned one; halving_add(a, b) rounds down and
/// rounding_halving_add(a, b) up at .5, both without overflow; saturating_add, saturating_sub; saturating_TYPE(x), as
/// in saturating_uint8: the nearest value the integer type has, fractions cut off, of NaN the least.
bool isDerivedFunction(std::string_view name);
std::vector<std::string> derivedFunctionNames();
Outcome<TypedExpr> callDerived(std::string_view name, const std::vector<TypedExpr> &args);

} // namespace loopscope
