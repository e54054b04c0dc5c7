#include "networks/strategy/strategy_table.h"

#include <fmt/format.h>
#include <utility>

namespace loopscope {

void StrategyTable::put(const std::string &op, const std::string &key, Strategy strategy, int registrationLevel) {
    auto &keys = m_byOperator[op];
    RegisteredStrategy now = {key, std::move(strategy), registrationLevel, {}};
    const auto before = keys.find(key);
    if (before == keys.end()) {
        keys.emplace(key, std::move(now));
        return;
    }
    RegisteredStrategy &there = before->second;
    if (there.registrationLevel > registrationLevel) {
        there.note = fmt::format("registered at level {}, so that another registration at level {} does not count",
                                 there.registrationLevel, registrationLevel);
        return;
    }
    now.note = fmt::format("overrides an earlier registration (level {}, this one {})", there.registrationLevel,
                           registrationLevel);
    there = std::move(now);
}

void StrategyTable::putReadyMade(const std::string &op, const std::string &name, ScheduleKind schedule) {
    for (const char *key : {"", "cpu", "cuda"}) {
        Strategy strategy;
        Implementation only;
        only.name = name + "." + (*key == '\0' ? "generic" : key);
        only.schedule = schedule;
        // A pass over memory has nothing to tune; sums and windows are searched all the same.
        only.tunable = schedule != ScheduleKind::Injective;
        strategy.add(std::move(only));
        put(op, key, std::move(strategy));
    }
}

StrategyTable::Found StrategyTable::find(std::string_view op, const StrategyTarget &target) const {
    const auto keys = m_byOperator.find(op);
    if (keys == m_byOperator.end()) return {};
    const auto fallback = keys->second.find("");
    for (const std::string &key : target.keys) {
        const auto at = keys->second.find(key);
        if (at == keys->second.end()) continue;
        std::string note = at->second.note;
        if (fallback != keys->second.end()) {
            if (!note.empty()) note += "; ";
            note += fmt::format("for {}, in the place of the default", key);
        }
        return {&at->second, std::move(note)};
    }
    if (fallback == keys->second.end()) return {};
    return {&fallback->second, fallback->second.note};
}

std::vector<std::string> StrategyTable::operators() const {
    std::vector<std::string> names;
    for (const auto &[op, keys] : m_byOperator) names.push_back(op);
    return names;
}

} // namespace loopscope
