// Refuses a network that is not well-formed, before anything builds on it.

#include "networks/graph/statement.h"
#include "networks/passes/pass_list.h"
#include "networks/passes/well_formed.h"

#include <fmt/format.h>

namespace loopscope {

GraphPass verifyPass() {
    return {{.name = "verify",
             .level = 0,
             .preserves = Facts::all(),
             .description = "refuses a network that is not well-formed, and control flow"},
            ModuleRun([](const Module &module, GraphPassContext &) -> Outcome<Module> {
                if (const auto statement = firstStatementText(module))
                    return Refusal{fmt::format("{}: passes and kernels are for networks without control flow; this one "
                                               "can be shown, checked and run for reference",
                                               *statement)};
                for (const FunctionPtr &function : module.functions)
                    if (auto wrong = whatIsWrong(*function)) return Refusal{*std::move(wrong)};
                return module;
            })};
}

} // namespace loopscope
