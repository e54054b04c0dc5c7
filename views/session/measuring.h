#pragma once
// Where candidates of a task are measured in the window, and with what: the seed and the limits of its search. The one
// place that knows which of the ways there are suits a target, and which of them times.

#include "language/task/task.h"
#include "measure/measurer.h"
#include "views/session/document.h"

#include <vector>

namespace loopscope {

/// As session files and settings have it: "here", "executor", "bundle", "fleet".
QString measureOnName(MeasureOn on);
/// Here for any other.
MeasureOn measureOnOf(const QString &name);

/// One of the ways a user may choose from.
struct MeasuringWay {
    MeasureOn on = MeasureOn::Here;
    QString name;   // "This GPU: NVIDIA L4"
    QString whyNot; // a sentence; empty: it can be chosen
};
/// Of the target, the one taken by itself first where it can be chosen.
std::vector<MeasuringWay> measuringWays(const Target &target);
/// What the setup comes to with the target: without a GPU for its kernels Here is the executor, and processors have no
/// executor.
MeasureOn measuredOn(const SearchSetup &setup, const Target &target);
/// Why schedules are not timed here, in a sentence; empty: they are. The answers of kernels of GPUs are checked all the
/// same, on this processor.
QString whyUntimed(const SearchSetup &setup, const Target &target);
/// What candidates run on where that is not the target itself, with the reason; empty: it is.
QString whereElseMeasured(const SearchSetup &setup, const Target &target);
/// float32 operations of a GPU in a second, in 10^9, by the figures of the target; 0 for a processor, whose peaks are
/// measured.
double figuredGflops(const Target &target);
/// Of the trials there are, those that the next search counts towards its number: what was only checked is not counted
/// by one that times.
int countedTrials(const TaskState &state);
/// Where rounds of bundles go: as chosen, or beside the log; empty while there is no log.
QString bundleFolderOf(const TaskState &state);
/// The line for a shell that measures a round, on the machine it is for.
QString runCommand(const QString &folder);
/// What is waited for changed; it is over when it is no candidate.
void takeWait(SearchStatus &status, const BundleWait &wait);
/// `weightBytes`: SamplingOptions::weightBytes.
MeasureOptions measureOptionsOf(const SearchSetup &setup, const Target &target, int64_t weightBytes);
/// As the last of the trials was timed: a kernel that is a network's, opened as a workload of its own, is timed on as
/// there, since times with its weights in caches would not compare.
int64_t weightBytesOf(const TaskState &state);
/// Of weights: a GPU copies them to shared memory anyway, so there they stay as they are, as in Ansor.
LayoutRewrite layoutRewriteOf(const SearchSetup &setup, const Target &target);

} // namespace loopscope
