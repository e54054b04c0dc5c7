#include "networks/passes/pipeline.h"

#include "networks/passes/pass_list.h"
#include "networks/passes/rewrite_rule.h"

namespace loopscope {

PassSequence defaultPipeline() {
    PassSequence clean("clean");
    clean.add(foldConstantsPass()).add(dropIdentitiesPass()).add(deadCodePass()).add(commonNodesPass());
    // Before the canonical forms, which would stand between a convolution and its batch norm.
    PassSequence weights("weights");
    weights.add(composeScalesPass()).add(foldBatchNormPass());
    // Algebra may bring scales next to one another and to convolutions; what is folded has to be canonical again.
    PassSequence algebra("algebra");
    algebra.add(simplifyAlgebraPass()).add(composeScalesPass()).add(foldBatchNormPass()).add(canonicalisePass());
    algebra.add(mergeParallelPass()).add(sinkElementwisePass()).add(raiseElementwisePass());
    // What the passes before left: constants of theirs that are computed, twins, nodes that hand on.
    PassSequence tidy("tidy");
    tidy.add(foldConstantsPass()).add(dropIdentitiesPass()).add(commonNodesPass()).add(deadCodePass());

    PassSequence all("optimise");
    all.add(verifyPass()).add(inferShapesPass()).add(std::move(clean)).add(std::move(weights)).add(canonicalisePass());
    // Last: its twins are not to become one.
    all.add(std::move(algebra)).add(std::move(tidy)).add(decomposeNormsPass()).add(verifyPass());
    return all;
}

std::vector<std::string> ruleNames() {
    std::vector<std::string> names;
    for (const RewriteRule &rule : algebraRules()) names.push_back("simplifyAlgebra." + rule.name);
    return names;
}

PassResult optimise(const Module &module, GraphPassContext &context) {
    return runPasses(defaultPipeline(), module, context, ruleNames());
}

} // namespace loopscope
