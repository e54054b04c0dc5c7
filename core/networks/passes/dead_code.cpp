// What no result depends on goes: nodes, and constants that nobody reads. Parameters stay.

#include "networks/passes/function_edit.h"
#include "networks/passes/pass_context.h"
#include "networks/passes/pass_list.h"

namespace loopscope {

GraphPass deadCodePass() {
    return {
        {.name = "deadCode", .level = 1, .preserves = Facts::all(), .description = "removes what no result depends on"},
        FunctionRun([](const FunctionPtr &function, GraphPassContext &context) -> Outcome<FunctionPtr> {
            FunctionEdit edit(function, "deadCode", context.report);
            edit.removeDead("no result depends on it");
            edit.dropUnusedConstants();
            return edit.finish();
        })};
}

} // namespace loopscope
