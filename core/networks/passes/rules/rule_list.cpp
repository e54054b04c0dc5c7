#include "networks/passes/rules/rule_list.h"

namespace loopscope {

std::vector<RewriteRule> algebraRules() {
    // Patterns of several nodes come before rules that would change their parts.
    return {layerNormCoreRule(),
            layerNormScaleRule(),
            layerNormShiftRule(),
            geluOfErfRule(),
            logOfSoftmaxRule(),
            constantOnRightRule(),
            subConstantRule(),
            divConstantRule(),
            mulByOneRule(),
            addZeroRule(),
            composeMulRule(),
            composeAddRule(),
            negOfNegRule(),
            idempotentRule(),
            clipOfReluRule(),
            transposeOfTransposeRule(),
            transposePastElementwiseRule(),
            transposesOfOperandsRule(),
            reshapeOfReshapeRule(),
            powByConstantRule(),
            reciprocalOfReciprocalRule(),
            sqrtOfReciprocalRule(),
            mulByReciprocalRule()};
}

} // namespace loopscope
