#include "search/target_rules.h"

namespace loopscope {

namespace {

// Sketch rules: inlining stands before everything that would schedule a stage of its own; rfactor before tiling, since
// it leaves a different stage to tile; the cache before the fusion it makes possible; skipping last, for what nothing
// claimed exclusively.
// Annotation: places before loops are fused; parallel loops before vector loops, so that both do not claim one
// iterator.

TargetRules cpuRules() {
    TargetRules rules;
    rules.sketchRules = {&kKeepPrologue,        &kAlwaysInline,     &kInlineMore, &kPackInput,
                         &kSimplifyConstTensor, &kTileScan,         &kAddRfactor, &kAddCacheWrite,
                         &kVectorizeWeights,    &kTilingWithFusion, &kTiling,     &kSkipStage};
    rules.annotateRules = {&kChooseComputeLocation, &kChooseParallel, &kChooseUnroll, &kChooseVectorize};
    rules.mutations = {&kMutateTileSize, &kMutateComputeLocation, &kMutateUnroll, &kMutateVectorize, &kMutateParallel};
    rules.unrollLimits = {0, 16, 64, 512};
    return rules;
}

TargetRules gpuRules() {
    TargetRules rules;
    rules.sketchRules = {&kAddCacheRead,
                         &kSpecialComputeLocation,
                         &kAlwaysInline,
                         &kSimplifyConstTensor,
                         &kCrossThreadReduction,
                         &kAddCacheWrite,
                         &kTilingWithFusion,
                         &kTiling,
                         &kSkipStage};
    rules.annotateRules = {&kChooseThreads, &kChooseUnroll};
    rules.mutations = {&kMutateTileSize, &kMutateUnroll, &kMutateThreads};
    rules.unrollLimits = {0, 16, 64, 512, 1024};
    rules.nestsParallelLoops = true;
    return rules;
}

} // namespace

const TargetRules &rulesFor(TargetKind kind) {
    static const TargetRules cpu = cpuRules();
    static const TargetRules gpu = gpuRules();
    return kind == TargetKind::Cuda ? gpu : cpu;
}

} // namespace loopscope
