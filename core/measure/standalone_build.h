#pragma once
// A schedule as machine code that stands alone (codegen/standalone_code.h), made in the isolated child that also makes
// the texts people read, for the same reasons (measure/disassembly.h).

#include "codegen/standalone_code.h"
#include "measure/disassembly.h"

#include <atomic>
#include <string>

namespace loopscope {

/// `function`: its name, one of C. Refused as disassembleSchedule refuses.
Outcome<StandaloneCode> buildStandalone(const Task &task, const Steps &steps, int layoutRewrite,
                                        const std::string &function, const DisassemblyOptions &options = {},
                                        const std::atomic<bool> *cancel = nullptr);

} // namespace loopscope
