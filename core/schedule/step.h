#pragma once
// The closed list of transform steps (ansor.md §2). A step is history, log format and mutation handle at once; whatever
// is done to steps visits this variant, so that a forgotten kind does not compile. Stage and iterator numbers refer to
// the state at the moment the step is applied.

#include "schedule/ids.h"

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

struct AnnotateStep { // AN
    StageId stage;
    IterId iter;
    Annotation annotation = Annotation::None;
};
struct FuseStep { // FU
    StageId stage;
    std::vector<IterId> iters;
};
struct PragmaStep { // PR
    StageId stage;
    IterId iter;
    std::string text;
};
struct ReorderStep { // RE
    StageId stage;
    std::vector<IterId> order; // new position p holds old iterator order[p]
};
struct SplitStep { // SP
    StageId stage;
    IterId iter;
    int64_t extent = 0; // of the loop split; 0 = unknown
    std::vector<int64_t> lengths; // kUnfilled where open
    bool innerToOuter = true;
};
struct FollowSplitStep { // FSP
    StageId stage;
    IterId iter;
    StepId source;
    int parts = 0; // n_split; makes parts + 1 iterators
};
struct FollowFusedSplitStep { // FFSP
    StageId stage;
    IterId iter;
    std::vector<StepId> sources;
    int level = 0;
    bool factor = true;
};
struct StorageAlignStep { // SA
    StageId stage;
    IterId iter;
    int factor = 1;
    int offset = 0;
};
struct ComputeAtStep { // CA
    StageId stage;
    StageId target;
    IterId targetIter;
};
struct ComputeInlineStep { // CI
    StageId stage;
};
struct ComputeRootStep { // CR
    StageId stage;
};
struct CacheReadStep { // CHR
    StageId stage;
    std::string scope;
    std::vector<StageId> readers;
};
struct CacheWriteStep { // CHW
    StageId stage;
    std::string scope;
};
struct RfactorStep { // RF
    StageId stage;
    IterId iter;
    int factorIter = 0; // position of the factored axis among the .rf stage's spatial axes
};

using Step = std::variant<AnnotateStep, FuseStep, PragmaStep, ReorderStep, SplitStep, FollowSplitStep,
                          FollowFusedSplitStep, StorageAlignStep, ComputeAtStep, ComputeInlineStep, ComputeRootStep,
                          CacheReadStep, CacheWriteStep, RfactorStep>;
using Steps = std::vector<Step>;

std::string_view stepTag(const Step &step); // "SP", ...
StageId stageOf(const Step &step);

} // namespace loopscope
