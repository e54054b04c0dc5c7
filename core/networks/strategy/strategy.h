#pragma once
// All ways to compute one operator on one kind of target: specialisations, each a condition with implementations. It is
// a value that can be looked at without a node, which TVM's strategy functions are not.

#include "networks/strategy/clause.h"
#include "networks/strategy/implementation.h"

#include <initializer_list>
#include <string_view>
#include <vector>

namespace loopscope {

struct Specialisation {
    std::vector<Clause> condition; // a conjunction; none: always
    std::vector<Implementation> implementations;
    /// Of each, how many were registered before it in the whole strategy: the first wins ties.
    std::vector<size_t> order;
};

class Strategy;

/// Implementations are added under its condition. Scopes inside have both conditions (in TVM only the innermost
/// counts). The strategy outlives it.
class StrategyScope {
  public:
    const StrategyScope &add(Implementation implementation) const;
    [[nodiscard]] StrategyScope when(std::initializer_list<std::string_view> clauses) const;

  private:
    friend class Strategy;
    StrategyScope(Strategy &strategy, std::vector<Clause> condition);
    Strategy &m_strategy;
    std::vector<Clause> m_condition;
};

class Strategy {
  public:
    /// The general case.
    Strategy &add(Implementation implementation);
    [[nodiscard]] StrategyScope when(std::initializer_list<std::string_view> clauses);

    /// In the order in which their first implementations were added; those with the same clauses are one.
    [[nodiscard]] const std::vector<Specialisation> &specialisations() const { return m_specialisations; }
    [[nodiscard]] size_t size() const { return m_size; } // implementations

  private:
    friend class StrategyScope;
    void addUnder(const std::vector<Clause> &condition, Implementation implementation);
    std::vector<Specialisation> m_specialisations;
    size_t m_size = 0;
};

} // namespace loopscope
