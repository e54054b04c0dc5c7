#pragma once
// What grouping decides, as values: groups, the merges that made them, and everything that was weighed on the way.

#include "schedule/grouping/machine_parameters.h"
#include "schedule/grouping/pipeline.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

enum class GroupingMode : uint8_t {
    Compat, // decisions of Halide's scheduler, to the integer
    Fixed,  // the same search with a model of what a tile keeps in the core's own cache
};

/// Sizes of a tile, one for each loop of a node; 0 where the loop is not tiled.
using TileSizes = std::vector<int64_t>;

/// In arithmetic operations. Undefined where an extent is not known; such a candidate loses.
struct GroupCost {
    bool defined = true;
    int64_t arith = 0;
    int64_t memory = 0;
    int64_t parallelism = 1; // tiles that may be computed at the same time

    [[nodiscard]] int64_t total() const { return addSaturating(arith, memory); }
};

struct TileCost {
    TileSizes tile;
    GroupCost cost;
};

/// Stages computed together, tile by tile of the last of them.
struct Group {
    int output = 0;            // node
    std::vector<int> members;  // nodes, the output among them, in the order they came
    std::vector<bool> holds;   // by stage: is a member
    std::vector<bool> inlined; // by stage: a member that has no loops of its own
    TileSizes tile;
    GroupCost cost;
};

/// A producer put into the groups of those that read it; or only thought of.
struct GroupMerge {
    bool inlining = false;
    int producer = 0;           // stage
    std::vector<int> consumers; // outputs (nodes) of the groups it goes to
    /// What that saves; none where it leaves too little parallelism or a cost is undefined.
    std::optional<int64_t> benefit;
    /// An expression would read more than kMaxReads elements; what that saves is not asked.
    bool tooLong = false;
    GroupCost after; // of the groups it makes, together; the parallelism is the least of theirs
    std::vector<std::vector<TileCost>> tiles; // of each consumer, in the order they were tried; of merges done only
    std::vector<TileSizes> chosen;            // of each consumer
};

struct GroupingRound {
    bool inlining = false;
    std::vector<GroupMerge> candidates; // without their tiles
    int best = -1;                      // none is worth it
};

struct GroupingTotals {
    int64_t arith = 0;
    int64_t memory = 0;
};

struct Grouping {
    GroupingMode mode = GroupingMode::Compat;
    int attempt = 1; // of the ways that were tried, the one that made it
    MachineParameters machine;
    Pipeline pipeline; // with the early inlining done
    std::vector<std::string> preInlined;
    std::vector<Group> alone;  // every node for itself, which merging began with; by name, then by node
    std::vector<Group> groups; // by the name of the output
    std::vector<GroupMerge> merges;
    std::vector<GroupingRound> rounds;
    GroupingTotals before; // every stage for itself
    GroupingTotals after;

    [[nodiscard]] std::vector<bool> inlinedStages() const;
};

/// The group with a stage as its member, and with what the groups of its nodes hold; to inline one that is a member
/// already, there are none. Tile and cost stay what they were.
Group mergedGroup(const Group &consumer, int producer, const std::vector<const Group *> &from, bool inlining);

/// Told of each merge as it is done; the merges so far are the grouping's. False: that was the last. Fixed may try more
/// than one way (`Grouping::attempt`), each told as it goes; where the listener ends one of them, those before it are
/// what there is to choose from.
using MergeListener = std::function<bool(const Grouping &grouping)>;

/// Groups the stages of a pipeline: Mullapudi et al. 2016 as Halide's scheduler does it.
Grouping groupPipeline(Pipeline pipeline, const MachineParameters &machine, GroupingMode mode = GroupingMode::Compat,
                       const MergeListener &listener = {});

} // namespace loopscope
