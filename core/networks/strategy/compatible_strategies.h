#pragma once
// What TVM 0.18 would choose: its names, its levels, its conditions, for convolutions, matrix products and softmax.
// Some of it is done by libraries that Loopscope does not call; they are in the table, because the choice depends on
// them.

#include "networks/strategy/strategy_table.h"

namespace loopscope {

struct CompatibleOptions {
    bool autoScheduler = true; // Ansor is on: implementations that only it has are offered
};

/// Choices with it are made with `guards` off, and with `measured` on where `autoScheduler` is off alone: with Ansor
/// TVM does not look into logs for them.
StrategyTable compatibleStrategies(const CompatibleOptions &options = {});

} // namespace loopscope
