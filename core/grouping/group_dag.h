#pragma once
// The whole way from a workload to its grouping, for whoever has no pipeline of his own making.

#include "dag/compute_dag.h"
#include "grouping/group.h"
#include "target/target.h"

namespace loopscope {

struct GroupingOptions {
    GroupingMode mode = GroupingMode::Fixed;
    /// The length of a vector and the cache of a core are the target's in fixed mode.
    MachineParameters machine;
};

/// In compat mode pictures have the sizes of Halide's programs, which are known at run time alone.
Grouping groupDag(const DagPtr &dag, const Target &target, const GroupingOptions &options,
                  const MergeListener &listener = {});

} // namespace loopscope
