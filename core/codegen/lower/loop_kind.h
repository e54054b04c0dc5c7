#pragma once
// What loop an annotated iterator of a state becomes in a program.

#include "codegen/loop_ir/program.h"
#include "schedule/loop_state.h"

namespace loopscope {

constexpr LoopKind loopKindOf(Annotation annotation) {
    switch (annotation) {
    case Annotation::Unroll:
        return LoopKind::Unrolled;
    case Annotation::Vectorize:
        return LoopKind::Vectorized;
    case Annotation::Parallel:
        return LoopKind::Parallel;
    case Annotation::VThread:
        return LoopKind::VThread;
    case Annotation::BlockX:
        return LoopKind::BlockX;
    case Annotation::BlockY:
        return LoopKind::BlockY;
    case Annotation::BlockZ:
        return LoopKind::BlockZ;
    case Annotation::ThreadX:
        return LoopKind::ThreadX;
    case Annotation::ThreadY:
        return LoopKind::ThreadY;
    case Annotation::ThreadZ:
        return LoopKind::ThreadZ;
    case Annotation::None:
    case Annotation::Tensorize:
        break;
    }
    return LoopKind::Serial;
}

} // namespace loopscope
