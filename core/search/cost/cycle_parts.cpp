#include "search/cost/cycle_parts.h"

#include "search/cost/gpu_estimate.h"
#include "search/cost/processor_estimate.h"

namespace loopscope {

std::string_view cycleKindName(CycleKind kind) {
    switch (kind) {
    case CycleKind::Arithmetic:
        return "arithmetic";
    case CycleKind::Loads:
        return "load instructions";
    case CycleKind::Stores:
        return "store instructions";
    case CycleKind::Latency:
        return "latency of the sum";
    case CycleKind::LoopOverhead:
        return "loop overhead";
    case CycleKind::Branches:
        return "branches";
    case CycleKind::L2Loads:
        return "L2 loads";
    case CycleKind::L3Loads:
        return "L3 loads";
    case CycleKind::MemoryLoads:
        return "memory loads";
    case CycleKind::ThreadStart:
        return "starting threads";
    case CycleKind::SharedMemory:
        return "shared memory";
    case CycleKind::Waiting:
        return "waiting warps";
    case CycleKind::Launch:
        return "launches";
    }
    return "";
}

EstimateParts estimatePartsFor(TargetKind kind) {
    switch (kind) {
    case TargetKind::Llvm:
        return processorCycleParts;
    case TargetKind::Cuda:
        return gpuCycleParts;
    }
    return nullptr;
}

} // namespace loopscope
