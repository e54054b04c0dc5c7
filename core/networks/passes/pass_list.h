#pragma once
// The passes over networks, each in the file of its name. pipeline.h has their order.

#include "networks/passes/pass.h"

namespace loopscope {

GraphPass verifyPass();
GraphPass inferShapesPass();
GraphPass foldConstantsPass();
GraphPass dropIdentitiesPass();
GraphPass deadCodePass();
GraphPass commonNodesPass();
GraphPass composeScalesPass();
GraphPass foldBatchNormPass();
GraphPass canonicalisePass();
GraphPass simplifyAlgebraPass();
GraphPass mergeParallelPass();
GraphPass sinkElementwisePass();
GraphPass raiseElementwisePass();
GraphPass decomposeNormsPass(); // only when it is required

} // namespace loopscope
