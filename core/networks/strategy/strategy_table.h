#pragma once
// Which strategy an operator has on which kind of target. A value that a function builds (usual_strategies.h,
// compatible_strategies.h), so that tests build their own and nothing is registered behind anybody's back.

#include "networks/strategy/strategy.h"
#include "networks/strategy/strategy_target.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

/// An operator's strategy for one target key; without a key the default of all targets.
struct RegisteredStrategy {
    std::string key;
    Strategy strategy;
    int registrationLevel = 10; // which of two registrations of one operator and key counts
    std::string note;           // "overrides an earlier registration"; empty where there was none
};

class StrategyTable {
  public:
    /// For targets that have the key; "" is the default. Of two registrations for the same key the higher level counts,
    /// of equal ones the later.
    void put(const std::string &op, const std::string &key, Strategy strategy, int registrationLevel = 10);

    // Operators that one ready-made schedule does for, on every target: `injective.cpu`, `reduce.cuda`, `pool.generic`.
    void putInjective(const std::string &op) { putReadyMade(op, "injective", ScheduleKind::Injective); }
    void putBroadcast(const std::string &op) { putInjective(op); } // the same, as in TVM
    void putReduction(const std::string &op) { putReadyMade(op, "reduce", ScheduleKind::Reduction); }
    void putPooling(const std::string &op) { putReadyMade(op, "pool", ScheduleKind::Pooling); }

    struct Found {
        const RegisteredStrategy *registered = nullptr; // null: there is none
        /// What became of others: "overrides the default for cpu".
        std::string note;
    };
    /// The target's keys in their order, then the default.
    [[nodiscard]] Found find(std::string_view op, const StrategyTarget &target) const;
    /// In alphabetical order.
    [[nodiscard]] std::vector<std::string> operators() const;

  private:
    void putReadyMade(const std::string &op, const std::string &name, ScheduleKind schedule);
    std::map<std::string, std::map<std::string, RegisteredStrategy, std::less<>>, std::less<>> m_byOperator;
};

} // namespace loopscope
