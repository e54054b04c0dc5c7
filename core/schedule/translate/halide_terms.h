#pragma once
// The loops over the terms of a reduction as the dimensions of its RDom. Halide puts them in another order only where
// it can prove that the order does not matter, which it can of sums, products, minima and maxima alone. Our reductions
// are all of that kind; so where steps change the order of others, the RDom has the loops that the steps made, in their
// order, and the axes are computed from them.

#include "schedule/bound_inference.h"
#include "schedule/translate/identifiers.h"

#include <map>
#include <string>
#include <vector>

namespace loopscope {

/// Halide takes the terms in any order that is asked for.
bool halideReorders(const Op &op);
/// The loops over the terms stand in an order that splitting axes and fusing neighbours alone does not lead to. Fused
/// with loops over elements they have no order of their own.
bool changesTermOrder(const Stage &stage);

struct HalideTerms {
    std::map<int, std::string> loops; // names by node of the stage's graph
    std::vector<std::string> names;   // of the dimensions, innermost first as Halide counts them
    std::vector<std::string> ranges;  // beside them
    std::vector<std::string> axes;    // of the reduction: what computes each from the names
    std::vector<std::string> inside;  // what holds of a term, where loops run past the end of an axis
};

/// `prefix` begins the names.
HalideTerms halideTerms(const Stage &stage, const StageBounds &bounds, const std::string &prefix, Identifiers &names);

} // namespace loopscope
