#pragma once
// A kernel of a plan that another library computes (measure/baselines/baseline.h): which routine, of what problem, and
// which argument of the kernel is which operand.

#include "codegen/kernel_launch.h"
#include "measure/baselines/baseline.h"

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

namespace loopscope {

class JsonPart;

struct LibraryRoutine {
    std::string library; // as baselineName says it: "onednn"
    BaselineProblem problem;
    // Numbers of arguments; -1: the problem has none.
    int data = -1;
    int weights = -1;
    int bias = -1;
    int scale = -1;
    int offset = -1;
    int out = -1;
    int residual = -1;
};

/// Why it cannot be called with these arguments, as the rest of a sentence: operands that are no arguments, or reach
/// beyond one.
std::optional<std::string> problemOf(const LibraryRoutine &routine, std::span<const KernelArg> args);

/// Bound to memory, whose constants have their contents by now. Throws Error: the library is not there, or has no
/// routine for the problem.
std::unique_ptr<PreparedBaseline> prepareRoutine(const LibraryRoutine &routine, void *const *arguments, int threads);

nlohmann::ordered_json routineJson(const LibraryRoutine &routine);
/// Throws Error for members that are missing or not what they should be.
LibraryRoutine routineFromJson(const JsonPart &json);

} // namespace loopscope
