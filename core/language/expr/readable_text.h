#pragma once
// Expressions as people write them and as the `.te` language reads them: with the parentheses that are needed, and `//`
// and `%` for the divisions that round down. toText() is for task keys, where every blank and every parenthesis counts.

#include "language/expr/expr.h"

#include <string>
#include <string_view>

namespace loopscope {

/// The operator of a binary expression without blanks: "+", "//", "<="; "truncmod", "min", "max" for those written as
/// functions.
std::string_view operatorText(ExprKind kind);

/// On one line. Operands of equal precedence keep their grouping, since floating point is not associative.
std::string readableText(Expr e);

} // namespace loopscope
