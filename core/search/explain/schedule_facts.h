#pragma once
// What is known of a schedule besides its steps and its texts, in words: the commands and the window tell it alike. As
// lists, a fact a line under a key that is the same for every schedule, so that two can be laid beside each other.

#include "codegen/hot_block.h"
#include "search/explain/explain_schedule.h"
#include "search/explain/feature_differences.h"

#include <string>
#include <utility>
#include <vector>

namespace loopscope {

/// "8 fmas, 2 loads": kinds that there are.
std::string kindsText(const InstructionMix &mix);
std::string vectorsText(const HotBlock &hot);                             // "vectors of 256 bits"
std::string spillsText(const HotBlock &hot);                              // "2 spills, 4 reloads"
std::string portText(const BusyPort &port, const PortPressure &pressure); // "Zn4FP0 92 %"
/// "parallel C i.0 (64)"; a statement: "C =".
std::string loopText(const ExplainedLoop &loop);
/// What most of its cycles go to: "L2 loads 61 %"; empty: none are estimated.
std::string boundText(const ExplainedLoop &loop);
/// "vec_len: 8 (what it means)".
std::string featureText(size_t feature, float value);

struct ScheduleFact {
    std::string key;
    std::string text;
};
using ScheduleFacts = std::vector<ScheduleFact>;

/// The hottest block, `loop` being the one it runs, and all of the code.
ScheduleFacts codeFacts(const HotBlock &hot, const std::string &hotProblem, const AssemblySummary &all,
                        const std::string &loop);
/// Loop by loop, in program order: its part of the estimated cycles with what most of them go to, and what it adds to
/// the model's score.
ScheduleFacts loopFacts(const ScheduleExplanation &explained);
/// The features in which two differ most, with what the model makes of each on both sides.
std::pair<ScheduleFacts, ScheduleFacts> featureFacts(const ScheduleExplanation &a, const ScheduleExplanation &b,
                                                     size_t most);

} // namespace loopscope
