#pragma once
// The closed list of transform steps of TVM's auto_scheduler. A step is history, log format and mutation handle at
// once; whatever is done to steps visits this variant, so that a forgotten kind does not compile. Stage and iterator
// numbers refer to the state at the moment the step is applied.

#include "base/ids.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace loopscope {

enum class Annotation : uint8_t {
    None,
    Unroll,
    Vectorize,
    Parallel,
    VThread,
    BlockX,
    ThreadX,
    BlockY,
    ThreadY,
    BlockZ,
    ThreadZ,
    Tensorize,
};
std::string_view annotationText(Annotation annotation); // "for", "unroll", ..., "threadIdx.x"

inline constexpr int64_t kUnfilled = 0; // a split length not yet chosen

struct AnnotateStep {
    static constexpr std::string_view tag = "AN";
    StageId stage;
    IterId iter;
    Annotation annotation = Annotation::None;
    bool operator==(const AnnotateStep &) const = default;
};
struct FuseStep {
    static constexpr std::string_view tag = "FU";
    StageId stage;
    std::vector<IterId> iters;
    bool operator==(const FuseStep &) const = default;
};
struct PragmaStep {
    static constexpr std::string_view tag = "PR";
    StageId stage;
    IterId iter;
    std::string text;
    bool operator==(const PragmaStep &) const = default;
};
struct ReorderStep {
    static constexpr std::string_view tag = "RE";
    StageId stage;
    std::vector<IterId> order; // new position p holds old iterator order[p]
    bool operator==(const ReorderStep &) const = default;
};
struct SplitStep {
    static constexpr std::string_view tag = "SP";
    StageId stage;
    IterId iter;
    int64_t extent = 0;           // of the loop split; 0 = unknown
    std::vector<int64_t> lengths; // kUnfilled where open
    bool innerToOuter = true;
    bool operator==(const SplitStep &) const = default;
};
struct FollowSplitStep {
    static constexpr std::string_view tag = "FSP";
    StageId stage;
    IterId iter;
    StepId source;
    int parts = 0; // n_split; makes parts + 1 iterators
    bool operator==(const FollowSplitStep &) const = default;
};
struct FollowFusedSplitStep {
    static constexpr std::string_view tag = "FFSP";
    StageId stage;
    IterId iter;
    std::vector<StepId> sources;
    int level = 0;
    bool factor = true;
    bool operator==(const FollowFusedSplitStep &) const = default;
};
struct StorageAlignStep {
    static constexpr std::string_view tag = "SA";
    StageId stage;
    IterId iter;
    int factor = 1;
    int offset = 0;
    bool operator==(const StorageAlignStep &) const = default;
};
struct ComputeAtStep {
    static constexpr std::string_view tag = "CA";
    StageId stage;
    StageId target;
    IterId targetIter;
    bool operator==(const ComputeAtStep &) const = default;
};
struct ComputeInlineStep {
    static constexpr std::string_view tag = "CI";
    StageId stage;
    bool operator==(const ComputeInlineStep &) const = default;
};
struct ComputeRootStep {
    static constexpr std::string_view tag = "CR";
    StageId stage;
    bool operator==(const ComputeRootStep &) const = default;
};
struct CacheReadStep {
    static constexpr std::string_view tag = "CHR";
    StageId stage;
    std::string scope;
    std::vector<StageId> readers;
    bool operator==(const CacheReadStep &) const = default;
};
struct CacheWriteStep {
    static constexpr std::string_view tag = "CHW";
    StageId stage;
    std::string scope;
    bool operator==(const CacheWriteStep &) const = default;
};
struct RfactorStep {
    static constexpr std::string_view tag = "RF";
    StageId stage;
    IterId iter;
    int factorIter = 0; // position of the factored axis among the .rf stage's spatial axes
    bool operator==(const RfactorStep &) const = default;
};

using Step = std::variant<AnnotateStep, FuseStep, PragmaStep, ReorderStep, SplitStep, FollowSplitStep,
                          FollowFusedSplitStep, StorageAlignStep, ComputeAtStep, ComputeInlineStep, ComputeRootStep,
                          CacheReadStep, CacheWriteStep, RfactorStep>;
using Steps = std::vector<Step>;

std::string_view stepTag(const Step &step); // "SP", ...
StageId stageOf(const Step &step);
void setStage(Step &step, StageId stage);

template <typename... Handlers> struct StepVisitor : Handlers... {
    using Handlers::operator()...;
};
template <typename... Handlers> StepVisitor(Handlers...) -> StepVisitor<Handlers...>;

} // namespace loopscope
