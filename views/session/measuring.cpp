#include "views/session/measuring.h"

#include <QObject>

namespace loopscope {

QString whyUntimed(const Target &target) {
    if (!target.isGpu()) return {};
    return QObject::tr("nothing here times kernels of GPUs; their answers are checked on this processor");
}

QString whereMeasured(const Target &target) {
    return whyUntimed(target).isEmpty() ? QObject::tr("this machine")
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
