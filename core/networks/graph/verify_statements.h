#pragma once
// The rules of statements (networks/graph/statement.h) that need no types: where they stand, which functions they name
// and how many values these take and give, that no function calls itself, that patterns can be solved.

#include "networks/graph/module.h"

#include <string>
#include <vector>

namespace loopscope {

/// How many functions may wait for one another.
constexpr size_t kDeepestCalls = 64;

struct StatementProblem {
    std::string function;
    NodeId node; // invalid: of the function as a whole
    std::string sentence;
};

/// In the order of the functions and their nodes; empty when all is well. Functions exist, and their nodes read and
/// make values that exist (graphProblems says so first).
std::vector<StatementProblem> statementProblems(const Module &module);

/// Functions so that each stands behind those it names. Of a module without statement problems.
std::vector<FunctionPtr> calleesFirst(const Module &module);

} // namespace loopscope
