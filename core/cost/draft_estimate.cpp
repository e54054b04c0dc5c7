#include "cost/draft_estimate.h"

#include "cost/gpu_estimate.h"
#include "cost/processor_estimate.h"

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
