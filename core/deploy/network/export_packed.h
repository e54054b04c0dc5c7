#pragma once
// What the packed entry point of an exported network says of its tensors. Internal to export_sources.

#include "deploy/plan/execution_plan.h"

#include <string>
#include <utility>
#include <vector>

namespace loopscope {

/// For the texts of export_packed_texts.h and export_python_text.h: a word and what stands for it. Names are those that
/// inputs and outputs have in the sources.
std::vector<std::pair<std::string, std::string>> packedWords(const ExecutionPlan &plan,
                                                             const std::vector<std::string> &inputNames,
                                                             const std::vector<std::string> &outputNames,
                                                             const std::vector<double> &tolerances);

} // namespace loopscope
