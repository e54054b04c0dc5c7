#include "views/session/measuring.h"

#include "target/detected_gpu.h"
#include "views/session/text.h"

#include <QObject>

namespace loopscope {

QString whyUntimed(const Target &target) {
    if (!target.isGpu()) return {};
    const Outcome<DetectedGpu> gpu = gpuThatRuns(target);
    if (gpu) return {};
    return QObject::tr("kernels of this target are not timed here, as %1; their answers are checked on this processor")
        .arg(qt(gpu.why()));
}

QString whereMeasured(const Target &target) {
    if (!target.isGpu()) return QObject::tr("this machine");
    const Outcome<DetectedGpu> gpu = gpuThatRuns(target);
    return gpu ? QObject::tr("the GPU of this machine, %1").arg(qt(gpu->name))
               : QObject::tr("this processor, answers checked, nothing timed");
}

MeasureOptions measureOptionsOf(const SearchSetup &setup, const Target &target) {
    MeasureOptions options;
    options.seed = setup.options.seed;
    options.buildTimeout = setup.buildTimeout;
    options.runTimeout = setup.runTimeout;
    if (!whyUntimed(target).isEmpty()) options.runner = RunnerKind::Executor;
    return options;
}

LayoutRewrite layoutRewriteOf(const SearchSetup &setup, const Target &target) {
    return target.isGpu() ? LayoutRewrite::None : static_cast<LayoutRewrite>(setup.layoutRewrite);
}

} // namespace loopscope
