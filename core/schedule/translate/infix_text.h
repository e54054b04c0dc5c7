#pragma once
// Operators between their operands with the parentheses they need, for languages whose arithmetic binds as that of C
// and Python does. Operands of equal precedence keep their grouping, since floating point is not associative.

#include <string>
#include <string_view>

namespace loopscope {

struct InfixText {
    enum class Binds : unsigned char { Comparison, Sum, Product, Atom } binds = Binds::Atom;
    std::string text;
};

InfixText infix(const InfixText &left, std::string_view op, const InfixText &right, InfixText::Binds binds);

} // namespace loopscope
