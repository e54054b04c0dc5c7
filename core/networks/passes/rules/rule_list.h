#pragma once
// The rules, each in a file of its name.

#include "networks/passes/rewrite_rule.h"

namespace loopscope {

RewriteRule constantOnRightRule();
RewriteRule subConstantRule();
RewriteRule divConstantRule();
RewriteRule mulByOneRule();
RewriteRule addZeroRule();
RewriteRule composeMulRule();
RewriteRule composeAddRule();
RewriteRule negOfNegRule();
RewriteRule idempotentRule();
RewriteRule clipOfReluRule();
RewriteRule transposeOfTransposeRule();
RewriteRule transposePastElementwiseRule();
RewriteRule transposesOfOperandsRule();
RewriteRule reshapeOfReshapeRule();
RewriteRule logOfSoftmaxRule();
RewriteRule powByConstantRule();
RewriteRule reciprocalOfReciprocalRule();
RewriteRule mulByReciprocalRule();
RewriteRule sqrtOfReciprocalRule();
RewriteRule layerNormCoreRule();
RewriteRule layerNormScaleRule();
RewriteRule layerNormShiftRule();
RewriteRule geluOfErfRule();

} // namespace loopscope
