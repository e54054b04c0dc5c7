#pragma once
// A `.te` workload whose parameters may be others than its text says: those that a key's numbers ask for.

#include "base/outcome.h"
#include "language/te/workload.h"
#include "records/resolve/task_key.h"

#include <optional>
#include <string>
#include <vector>

namespace loopscope {

struct TeFile {
    std::string path; // or what people should read instead
    std::string text;
    Workload workload; // with the parameters of the text
};
/// Throws Error.
TeFile readTeFile(const std::string &path);
TeFile teFileOf(const std::string &text, const std::string &path);

/// Extents of the arguments, inputs first, or of the inputs alone.
std::vector<int64_t> argNumbers(const Workload &workload, bool inputsAlone);

/// Parameters for which the workload may have arguments (or inputs alone) of these extents, the likeliest first. The
/// arguments have to be compared by whoever builds it.
std::vector<ParamOverrides> paramsFromShapes(const TeFile &file, const std::vector<int64_t> &numbers, bool inputsAlone);

/// Parameters from the arguments of a function key, in their order. The refusal says what differs.
Outcome<ParamOverrides> paramsFromArgs(const TeFile &file, const TaskKey &key);

/// "N = 1, H = 7", or nothing.
std::string overridesText(const ParamOverrides &overrides);

} // namespace loopscope
