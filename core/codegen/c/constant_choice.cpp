#include "codegen/c/constant_choice.h"

#include <algorithm>

namespace loopscope {

namespace {

bool chooses(Expr e) {
    return e->kind == ExprKind::Select || (e->kind == ExprKind::Call && e->intrinsic == Intrinsic::IfThenElse);
}

class ConditionReader {
  public:
    explicit ConditionReader(const std::function<std::string(Expr)> &text) : m_text(text) {}

    std::optional<ConstantChoice> read(Expr e) {
        for (; chooses(e); e = e->arg(2)) {
            ConstantChoice::Case &one = m_choice.cases.emplace_back();
            one.value = e->arg(1);
            if (!isImm(one.value) || !readCondition(e->arg(0), one)) return std::nullopt;
        }
        if (!isImm(e) || m_choice.cases.empty()) return std::nullopt;
        m_choice.otherwise = e;
        return std::move(m_choice);
    }

  private:
    bool readCondition(Expr condition, ConstantChoice::Case &one) {
        if (condition->kind == ExprKind::And)
            return readCondition(condition->arg(0), one) && readCondition(condition->arg(1), one);
        if (condition->kind != ExprKind::Eq) return false;
        const bool constantFirst = condition->arg(0)->kind == ExprKind::IntImm;
        const Expr index = condition->arg(constantFirst ? 1 : 0);
        const Expr constant = condition->arg(constantFirst ? 0 : 1);
        if (constant->kind != ExprKind::IntImm || isFloat(index->dtype)) return false;
        one.equals.emplace_back(numberOf(index), constant->intValue);
        return true;
    }

    size_t numberOf(Expr index) {
        std::string text = m_text(index);
        const auto known = std::ranges::find(m_texts, text);
        const auto number = static_cast<size_t>(known - m_texts.begin());
        if (known != m_texts.end()) return number;
        m_texts.push_back(std::move(text));
        m_choice.indices.push_back(index);
        return number;
    }

    const std::function<std::string(Expr)> &m_text;
    std::vector<std::string> m_texts;
    ConstantChoice m_choice;
};

} // namespace

Expr ConstantChoice::at(std::span<const int64_t> values) const {
    for (const Case &one : cases)
        if (std::ranges::all_of(one.equals, [&](const auto &equal) { return values[equal.first] == equal.second; }))
            return one.value;
    return otherwise;
}

std::optional<ConstantChoice> constantChoice(Expr e, const std::function<std::string(Expr)> &text) {
    return ConditionReader(text).read(e);
}

} // namespace loopscope
