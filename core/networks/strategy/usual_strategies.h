#pragma once
// The implementations that Loopscope has, for every operator of the catalogue that can be computed.

#include "networks/strategy/strategy_table.h"

namespace loopscope {

/// What is alike in all tables: operators with one ready-made or one searched implementation.
StrategyTable commonStrategies();

/// Convolutions directly and in Winograd's form (which on processors is below the direct one, so that only a measured
/// time chooses it), depthwise and grouped; matrix products for few rows and for many; all others as they are.
StrategyTable usualStrategies();

} // namespace loopscope
