// Multiplications and additions by constants that follow one another, batch norms among them, become one
// multiplication and one addition. Those behind a convolution are left to foldBatchNorm, which needs neither.

#include "networks/passes/channel_scale.h"
#include "networks/passes/pass_context.h"
#include "networks/passes/pass_list.h"

namespace loopscope {

GraphPass composeScalesPass() {
    return {{.name = "composeScales",
             .level = 1,
             .needs = {Fact::Types},
             .preserves = Facts::all(),
             .description = "scales and shifts by constants that follow one another become one of each"},
            FunctionRun([](const FunctionPtr &function, GraphPassContext &context) -> Outcome<FunctionPtr> {
                FunctionEdit edit(function, "composeScales", context.report);
                for (ScaleChain &chain : scaleChains(edit)) {
                    chain.base = edit.current(chain.base);
                    if (chain.nodes < 2 || takesScale(edit, chain.base)) continue;
                    const size_t made = (chain.scale.scales() ? 1 : 0) + (chain.scale.shifts() ? 1 : 0);
                    if (made < chain.nodes || chain.batchNorm)
                        emitScale(edit, chain, "composed with the scales and shifts around it");
                }
                return edit.finish();
            })};
}

} // namespace loopscope
