#pragma once
// The thing tuned: a workload's DAG on a target, under the key its records are filed by.

#include "language/dag/compute_dag.h"
#include "language/target/target.h"

#include <string>
#include <vector>

namespace loopscope {

/// Field 4 of a record's task: 0 none, 1 insert a transform stage, 2 weights arrive already transformed.
enum class LayoutRewrite : uint8_t { None = 0, InsertTransform = 1, Pretransformed = 2 };

struct Task {
    DagPtr dag;
    Target target;
    std::string key; // dag->key(), or a record's function-name key
    LayoutRewrite layoutRewrite = LayoutRewrite::InsertTransform;
    std::vector<std::string> inputNames;
};

Task makeTask(DagPtr dag, Target target);

} // namespace loopscope
