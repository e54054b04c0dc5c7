#include "search/cost/draft_estimate.h"

#include "search/cost/gpu_estimate.h"
#include "search/cost/processor_estimate.h"

namespace loopscope {

DraftEstimate draftEstimateFor(TargetKind kind) {
    switch (kind) {
    case TargetKind::Llvm:
        return processorCycles;
    case TargetKind::Cuda:
        return gpuCycles;
    }
    return nullptr;
}

} // namespace loopscope
