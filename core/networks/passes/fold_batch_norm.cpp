// A batch norm, or another scale by constants, behind a convolution or a matrix product goes into the weights: scaled
// along the output channel, the shift becoming the bias. Computed in double and rounded once. A batch norm elsewhere
// becomes a multiplication and an addition.

#include "networks/passes/channel_scale.h"
#include "networks/passes/pass_context.h"
#include "networks/passes/pass_list.h"

#include <fmt/format.h>

namespace loopscope {

GraphPass foldBatchNormPass() {
    return {{.name = "foldBatchNorm",
             .level = 1,
             .needs = {Fact::Types},
             .preserves = {Fact::Types},
             .description = "batch norms go into the weights of the convolution before them, or become mul and add"},
            FunctionRun([](const FunctionPtr &function, GraphPassContext &context) -> Outcome<FunctionPtr> {
                FunctionEdit edit(function, "foldBatchNorm", context.report);
                for (ScaleChain &chain : scaleChains(edit)) {
                    chain.base = edit.current(chain.base);
                    // A bias alone is an addition already.
                    if (!chain.batchNorm && !chain.scale.scales()) continue;
                    const bool folded = takesScale(edit, chain.base) &&
                                        foldScale(edit, chain,
                                                  fmt::format("folded into the weights of {}",
                                                              nodeText(edit.node(edit.producer(chain.base)))));
                    if (!folded && chain.batchNorm)
                        emitScale(edit, chain, "a batch norm is a multiplication and an addition");
                }
                return edit.finish();
            })};
}

} // namespace loopscope
