#pragma once
// The choice of an implementation: for static shapes times in tuning logs, then the level; for symbolic ones the level,
// and guards where a condition is known only at run time. Ties go to whoever was registered first.

#include "base/outcome.h"
#include "networks/strategy/decision.h"
#include "networks/strategy/strategy_table.h"

#include <functional>
#include <optional>
#include <string>

namespace loopscope {

/// A node, as far as a choice depends on it.
struct StrategySubject {
    std::string node;
    std::string op;
    Quantities quantities;
};

struct ChoiceSettings {
    /// Times decide before levels. TVM does so with AutoTVM's logs only; with Ansor it goes by levels.
    bool measured = true;
    /// What depends on symbols is guarded; otherwise it counts as false, as in TVM.
    bool guards = true;
    AccuracyClass worst = AccuracyClass::ReducedPrecision; // that is allowed
    std::string pin = {};                                  // what the user wants, by name; empty: nothing is pinned
};

/// What is known of an implementation of the node at hand; null function: nothing of any.
using EvidenceOf = std::function<std::optional<Evidence>(const Implementation &)>;

/// Refuses where nothing may be chosen, naming operator and target, and pins that are not valid, naming the
/// implementation, the clause and its value.
Outcome<Decision> chooseImplementation(const StrategyTable &table, const StrategyTarget &target,
                                       const StrategySubject &subject, const ChoiceSettings &settings = {},
                                       const EvidenceOf &evidence = nullptr);

} // namespace loopscope
