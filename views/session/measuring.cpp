#include "views/session/measuring.h"

#include "language/target/detected_gpu.h"
#include "views/session/text.h"

#include <QFileInfo>
#include <QObject>
#include <QRegularExpression>
#include <QStandardPaths>

#include <algorithm>
#include <array>

namespace loopscope {

namespace {

constexpr std::array kMeasureOnNames{"here", "executor", "bundle", "fleet"};

QString whyNoGpu(const Target &target) {
    const Outcome<DetectedGpu> gpu = gpuThatRuns(target);
    return gpu ? QString() : qt(gpu.why());
}

} // namespace

QString measureOnName(MeasureOn on) { return QLatin1String(kMeasureOnNames.at(static_cast<size_t>(on))); }

MeasureOn measureOnOf(const QString &name) {
    const auto found =
        std::ranges::find_if(kMeasureOnNames, [&](const char *known) { return name == QLatin1String(known); });
    return found == kMeasureOnNames.end() ? MeasureOn::Here : static_cast<MeasureOn>(found - kMeasureOnNames.begin());
}

std::vector<MeasuringWay> measuringWays(const Target &target) {
    const MeasuringWay bundle{MeasureOn::Bundle, QObject::tr("Bundles for another machine"), {}};
    const bool slurm = !QStandardPaths::findExecutable(QStringLiteral("salloc")).isEmpty();
    if (!target.isGpu())
        return {
            {MeasureOn::Here, QObject::tr("This machine"), {}},
            bundle,
            {MeasureOn::Fleet, QObject::tr("Nodes of a cluster (Slurm)"),
             slurm ? QString() : QObject::tr("there is no salloc, one of Slurm's commands (Debian: slurm-client)")}};
    const Outcome<DetectedGpu> gpu = gpuThatRuns(target);
    return {
        {MeasureOn::Here, gpu ? QObject::tr("This GPU: %1").arg(qt(gpu->name)) : QObject::tr("This GPU"),
         gpu ? QString() : qt(gpu.why())},
        {MeasureOn::Executor, QObject::tr("Executor: answers checked, no times"), {}},
        bundle,
    };
}

MeasureOn measuredOn(const SearchSetup &setup, const Target &target) {
    if (setup.on == MeasureOn::Bundle) return MeasureOn::Bundle;
    if (!target.isGpu()) return setup.on == MeasureOn::Fleet ? MeasureOn::Fleet : MeasureOn::Here;
    return setup.on == MeasureOn::Executor || !gpuThatRuns(target) ? MeasureOn::Executor : MeasureOn::Here;
}

QString whyUntimed(const SearchSetup &setup, const Target &target) {
    switch (measuredOn(setup, target)) {
    case MeasureOn::Here:
    case MeasureOn::Fleet:
        return {};
    case MeasureOn::Bundle:
        return QObject::tr("they are measured on another machine, which a search alone sends its trials to");
    case MeasureOn::Executor:
        break;
    }
    const QString none = whyNoGpu(target);
    if (none.isEmpty())
        return QObject::tr("the executor is chosen, which checks answers and times nothing; choose this machine's GPU "
                           "under \u201cMeasure on\u201d");
    return QObject::tr("kernels of this target are not timed here, as %1; their answers are checked on this processor")
        .arg(none);
}

QString whereElseMeasured(const SearchSetup &setup, const Target &target) {
    switch (measuredOn(setup, target)) {
    case MeasureOn::Here:
    case MeasureOn::Bundle: // which says what it waits for
    case MeasureOn::Fleet:
        return {};
    case MeasureOn::Executor:
        break;
    }
    const QString none = whyNoGpu(target);
    const QString where = QObject::tr("Trials run on this processor: their answers are checked, races are found");
    return none.isEmpty() ? QObject::tr("%1, nothing is timed.").arg(where)
                          : QObject::tr("%1. Nothing here times them: %2.").arg(where, none);
}

double figuredGflops(const Target &target) {
    constexpr int kOperations = 2; // of a multiply-add
    const GpuLimits &gpu = target.gpu;
    return target.isGpu() ? kOperations * gpu.clockGHz * gpu.floatsPerCycle * gpu.multiprocessors : 0;
}

int countedTrials(const TaskState &state) {
    const auto all = static_cast<int>(state.trials.size());
    if (!state.task || !state.task->target.isGpu() ||
        measuredOn(state.setup, state.task->target) == MeasureOn::Executor)
        return all;
    return all - static_cast<int>(std::ranges::count_if(state.trials, [](const TrialEntry &entry) {
               return entry.trial.valid() && entry.trial.seconds.empty();
           }));
}

QString bundleFolderOf(const TaskState &state) {
    if (!state.setup.bundleFolder.isEmpty()) return state.setup.bundleFolder;
    const QString log = state.setup.logPath.isEmpty() ? state.logPath : state.setup.logPath;
    if (log.isEmpty()) return {};
    const QFileInfo info(log);
    return QStringLiteral("%1/%2-bundles").arg(info.path(), info.completeBaseName());
}

QString runCommand(const QString &folder) {
    static const QRegularExpression kPlain(QStringLiteral("^[A-Za-z0-9_./+=:@%,-]+$"));
    QString word = folder;
    if (!kPlain.match(word).hasMatch()) word = u'\'' + word.replace(u'\'', QStringLiteral("'\\''")) + u'\'';
    return QStringLiteral("make -C %1 run").arg(word);
}

void takeWait(SearchStatus &status, const BundleWait &wait) {
    const bool same = status.waiting && status.waiting->folder == wait.folder;
    const QDateTime since = same ? status.waiting->since : wait.since;
    status.waiting.reset();
    if (wait.candidates == 0) return;
    status.waiting = wait;
    status.waiting->since = since;
    status.measuring = -1;
    if (status.at != SearchPhase::ComparingFinalists) status.at = SearchPhase::Measuring;
    status.phase =
        QObject::tr("waiting for the results of %1").arg(countedText(static_cast<size_t>(wait.candidates), "trial"));
}

int64_t weightBytesOf(const TaskState &state) {
    for (size_t i = state.trials.size(); i-- > 0;)
        if (const Trial &trial = state.trials[i].trial; trial.valid() && !trial.seconds.empty())
            return trial.weightBytes;
    return 0;
}

MeasureOptions measureOptionsOf(const SearchSetup &setup, const Target &target, int64_t weightBytes) {
    MeasureOptions options;
    options.sampling.weightBytes = weightBytes;
    options.seed = setup.options.seed;
    options.buildTimeout = setup.buildTimeout;
    options.runTimeout = setup.runTimeout;
    if (measuredOn(setup, target) == MeasureOn::Executor) options.runner = RunnerKind::Executor;
    return options;
}

LayoutRewrite layoutRewriteOf(const SearchSetup &setup, const Target &target) {
    return target.isGpu() ? LayoutRewrite::None : static_cast<LayoutRewrite>(setup.layoutRewrite);
}

} // namespace loopscope
