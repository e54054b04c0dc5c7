#pragma once
// An exported network as a shared library: built of its sources by the C compiler of this machine, then opened and
// called by its packed entry point, as a stranger would.

#include "base/outcome.h"
#include "deploy/network/export_sources.h"
#include "language/tensor/compare.h"
#include "networks/packed/signature.h"

#include <string>
#include <vector>

namespace loopscope {

/// The path of the library in the folder that `writeExport` wrote. Refused when no compiler is here or it complains.
Outcome<std::string> buildLibrary(const std::vector<SourceFile> &files, const std::string &network,
                                  const std::string &folder);

/// Inputs that are read, then outputs that are written.
PackedSignature packedSignature(const ExecutionPlan &plan);

/// One for each output of the request, on its inputs; a wrong answer is a verdict. Refused when the library cannot be
/// called, or wrote to what it may only read.
Outcome<std::vector<TensorVerdict>> callLibrary(const SourceExport &request, const std::string &library);

} // namespace loopscope
