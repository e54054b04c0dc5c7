#include "cost/draft_estimate.h"

#include "cost/processor_estimate.h"

namespace loopscope {

DraftEstimate draftEstimateFor(TargetKind kind) {
    switch (kind) {
    case TargetKind::Llvm:
        return processorCycles;
    case TargetKind::Cuda:
        break; // occupancy and coalescing are what would count there
    }
    return nullptr;
}

} // namespace loopscope
