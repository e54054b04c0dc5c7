#include "networks/strategy/strategy.h"

#include <algorithm>
#include <utility>

namespace loopscope {

std::string_view scheduleKindName(ScheduleKind kind) {
    switch (kind) {
    case ScheduleKind::Searched:
        return "searched";
    case ScheduleKind::Injective:
        return "injective";
    case ScheduleKind::Reduction:
        return "reduction";
    case ScheduleKind::Pooling:
        return "pooling";
    case ScheduleKind::Host:
        return "host";
    case ScheduleKind::Library:
        return "library";
    }
    return "";
}

StrategyScope::StrategyScope(Strategy &strategy, std::vector<Clause> condition)
    : m_strategy(strategy), m_condition(std::move(condition)) {}

const StrategyScope &StrategyScope::add(Implementation implementation) const {
    m_strategy.addUnder(m_condition, std::move(implementation));
    return *this;
}

StrategyScope StrategyScope::when(std::initializer_list<std::string_view> clauses) const {
    std::vector<Clause> both = m_condition;
    for (const std::string_view text : clauses) {
        Clause clause = Clause::of(text);
        if (std::find(both.begin(), both.end(), clause) == both.end()) both.push_back(std::move(clause));
    }
    return {m_strategy, std::move(both)};
}

Strategy &Strategy::add(Implementation implementation) {
    addUnder({}, std::move(implementation));
    return *this;
}

StrategyScope Strategy::when(std::initializer_list<std::string_view> clauses) {
    return StrategyScope(*this, {}).when(clauses);
}

void Strategy::addUnder(const std::vector<Clause> &condition, Implementation implementation) {
    auto at = std::find_if(m_specialisations.begin(), m_specialisations.end(),
                           [&](const Specialisation &one) { return one.condition == condition; });
    if (at == m_specialisations.end()) at = m_specialisations.insert(at, Specialisation{condition, {}, {}});
    at->implementations.push_back(std::move(implementation));
    at->order.push_back(m_size++);
}

} // namespace loopscope
