#pragma once
// Rules of algebra: a pattern of nodes and what stands for it. One file each in rules/, whose texts are shown to people
// and are its test: `before`, with the parameters of `given`, becomes `after`. simplifyAlgebra applies all of them
// until none applies; each makes the network smaller or brings it nearer to a form that others expect, so that this
// ends.

#include "base/outcome.h"
#include "networks/passes/constant_evaluation.h"
#include "networks/passes/function_edit.h"

#include <span>
#include <string>
#include <vector>

namespace loopscope {

struct RewriteRule {
    std::string name;
    std::vector<std::string> roots; // operators of the node it begins at; empty: any
    /// "x: float32[2, 3], y: float32[3]".
    std::string given;
    /// "relu(relu(x))"; 2.0 is a scalar constant, [1, 2] an int64 and {1.0, 2.0} a float32 constant.
    std::string before;
    std::string after;
    /// False, and nothing done, where it does not apply at the node.
    bool (*apply)(FunctionEdit &edit, NodeId root, const ConstantEvaluation &evaluation);
};

/// All, in the order in which they are tried.
std::vector<RewriteRule> algebraRules();

/// Until none applies; how many were applied. Refuses after so many steps.
Outcome<size_t> applyRules(FunctionEdit &edit, std::span<const RewriteRule> rules, size_t maxSteps,
                           const ConstantEvaluation &evaluation);

// What rules ask.

/// The node that computes a value, where it is of that operator; else invalid.
NodeId madeBy(const FunctionEdit &edit, ValueId value, std::string_view op);
/// One input reads it and it is no result: whoever replaces the reader takes it away.
bool hasOneUse(const FunctionEdit &edit, ValueId value);
/// The number of a constant that is the same everywhere.
std::optional<double> uniformNumber(const FunctionEdit &edit, ValueId value);
/// A constant of ones, of at most a few thousand when they are kept one by one.
bool isOnes(const FunctionEdit &edit, ValueId value);
bool isFloatValue(const FunctionEdit &edit, ValueId value);
bool sameType(const FunctionEdit &edit, ValueId a, ValueId b);
/// No element is below zero, or minus zero that a root would keep: told by the operators that make it.
bool isNotNegative(const FunctionEdit &edit, ValueId value);

} // namespace loopscope
