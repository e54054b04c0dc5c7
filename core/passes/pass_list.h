#pragma once
// The passes over networks, each in the file of its name. pipeline.h has their order.

#include "passes/pass.h"

namespace loopscope {

Pass verifyPass();
Pass inferShapesPass();
Pass foldConstantsPass();
Pass dropIdentitiesPass();
Pass deadCodePass();
Pass commonNodesPass();
Pass composeScalesPass();
Pass foldBatchNormPass();
Pass canonicalisePass();
Pass simplifyAlgebraPass();
Pass mergeParallelPass();
Pass sinkElementwisePass();

} // namespace loopscope
