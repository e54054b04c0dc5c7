#pragma once
// All passes over a network before it is cut into kernels, in their order.

#include "networks/passes/pass_sequence.h"

namespace loopscope {

PassSequence defaultPipeline();

/// Names that may stand in GraphPassContext::disabled beside those of passes and sequences:
/// "simplifyAlgebra.geluOfErf".
std::vector<std::string> ruleNames();

/// The default pipeline. Report and facts are in the context afterwards.
PassResult optimise(const Module &module, GraphPassContext &context);

} // namespace loopscope
