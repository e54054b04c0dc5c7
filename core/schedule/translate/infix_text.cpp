#include "schedule/translate/infix_text.h"

namespace loopscope {

namespace {

std::string bracketed(const InfixText &part, bool needed) { return needed ? "(" + part.text + ")" : part.text; }

} // namespace

InfixText infix(const InfixText &left, std::string_view op, const InfixText &right, InfixText::Binds binds) {
    // Python chains comparisons, so that neither side may be one.
    const bool leftToo = left.binds < binds || (left.binds == binds && binds == InfixText::Binds::Comparison);
    InfixText whole{binds, bracketed(left, leftToo)};
    ((whole.text += ' ') += op) += ' ';
    whole.text += bracketed(right, right.binds <= binds);
    return whole;
}

} // namespace loopscope
