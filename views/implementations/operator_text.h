#pragma once
// An operator of the catalogue as a page: inputs, attributes with what they are when nothing is said, how it may be
// fused, and the implementations it has on a target with their conditions.

#include "networks/op/operator.h"
#include "networks/strategy/strategy_table.h"

#include <QString>

namespace loopscope {

QString patternText(PatternKind pattern); // "element by element", "never fused with others"
QString operatorPage(const Operator &of, const StrategyTable &table, const StrategyTarget &target);

} // namespace loopscope
