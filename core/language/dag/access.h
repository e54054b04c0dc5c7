#pragma once
// How each op reads its inputs, by the notions of Ansor's access analyzer, in a form that bound inference and the
// sketch rules can use without looking at expressions again.

#include "language/expr/expr.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace loopscope {

struct Tensor;

/// One index of one load: sum of coefficient x axis + constant where that is exact; otherwise only the expression.
/// Axis numbers: spatial axes 0..rank-1, then reduce axes.
struct IndexForm {
    Expr expr;
    bool affine = false;
    int64_t constant = 0;
    std::vector<std::pair<int, int64_t>> terms; // axis, coefficient != 0; ascending axis
};

struct LoadAccess {
    const Tensor *tensor = nullptr;
    int producer = -1; // op index in the DAG
    std::vector<IndexForm> indices;
    bool simple = false;         // every index int constant or const-shift-equal to a spatial axis
    bool axisMissing = false;    // some spatial axis in no index
    bool axisDuplicated = false; // some spatial axis in two indices
    bool sameOrder = false;      // matched axis numbers never decrease
    /// Per index: the spatial axis it is const-shift-equal to, or -1.
    std::vector<int> matchedAxis;
};

struct OpAccess {
    std::vector<LoadAccess> loads; // every load of the bodies, in post-order
    std::vector<int> producers;    // distinct op indices, input order
    std::vector<int> consumers;    // distinct op indices, ascending
    bool isOutput = false;         // compute op nobody reads
    bool simpleAccess = false;
    bool strictlyInlineable = false;
    bool needsMultiLevelTiling = false;
    bool hasBranch = false;            // if_then_else or select
    bool hasExpensive = false;         // exp only: Ansor's notion, which sketches depend on
    std::vector<int> commonOuterIters; // per entry of `consumers`: leading axes shared with that direct consumer
};

/// Leading axes op and target share: the minimum along a reader path, and over all such paths; 0 if unreachable.
class ComputeDag;
int commonOuterIters(const ComputeDag &dag, int op, int target);
bool elementwiseMatch(const ComputeDag &dag, int op, int target);

} // namespace loopscope
