#pragma once
// A sketch rule: a condition on one stage and what it makes of the state. One file per rule; target_rules.cpp has
// the ordered lists.

#include "language/target/target.h"
#include "schedule/loop_state.h"
#include "search/search_options.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loopscope {

struct SketchContext {
    const Target &target;
    const SketchOptions &options;
    [[nodiscard]] bool gpu() const { return target.isGpu(); }
};

enum class Verdict : uint8_t { Skip, Apply, ApplyAndSkipRest };

struct RuleAnswer {
    Verdict verdict = Verdict::Skip;
    std::string reason; // one clause, for the sketch tree: why skipped, or why it applies
};

/// New states, each with the stage the walk goes on with (one lower, or the same stage again).
using SketchResults = std::vector<std::pair<LoopState, StageId>>;

struct SketchRule {
    std::string_view name;
    RuleAnswer (*meets)(const SketchContext &context, const LoopState &state, StageId stage);
    SketchResults (*apply)(const SketchContext &context, const LoopState &state, StageId stage);
};

extern const SketchRule kSkipStage;
extern const SketchRule kKeepPrologue;
extern const SketchRule kAlwaysInline;
extern const SketchRule kInlineMore;
extern const SketchRule kSimplifyConstTensor;
extern const SketchRule kPackInput;
extern const SketchRule kVectorizeWeights;
extern const SketchRule kTileScan;
extern const SketchRule kAddRfactor;
extern const SketchRule kAddCacheWrite;
extern const SketchRule kTilingWithFusion;
extern const SketchRule kTiling;
extern const SketchRule kAddCacheRead;
extern const SketchRule kCrossThreadReduction;
extern const SketchRule kSpecialComputeLocation;

/// The rules in the order they are tried on a stage (target_rules.h), without those the options leave out.
std::vector<const SketchRule *> sketchRules(const Target &target, const SketchOptions &options);

/// Applies a step that the rule has made sure is legal; a refusal is our bug.
LoopState applied(const LoopState &state, Step step);

inline StageId before(StageId stage) { return StageId(stage.value - 1); }

} // namespace loopscope
