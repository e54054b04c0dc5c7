// How well the analytic estimate (search/cost/draft_estimate.h) orders schedules that were measured: of the pairs whose
// times differ clearly, the share it puts in the right order. Half of them are right by chance.
//   estimate_bench [--cores N] [--fusion better] FILE LOG [FILE LOG]...
// The log holds trials of the file's workload, best those of `loopscope-cli tune --random-model`, which no estimate has
// chosen; or of all kernels of a network, FILE.net or FILE.onnx. "Fast half" is about the faster half of them alone,
// where the order matters to a search.

#include "base/outcome.h"
#include "deploy/network/prepare.h"
#include "language/task/task.h"
#include "language/te/workload.h"
#include "records/record/record.h"
#include "search/candidate.h"
#include "search/cost/cost_model.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <string>
#include <vector>

using namespace loopscope;

namespace {

struct Measured {
    double seconds;
    double estimate;
};

double rankedRight(const std::vector<Measured> &trials, size_t fastest) {
    std::vector<float> scores;
    std::vector<double> seconds;
    for (size_t i = 0; i < fastest; ++i) {
        scores.push_back(static_cast<float>(-trials[i].estimate));
        seconds.push_back(trials[i].seconds);
    }
    return pairsRankedRight(scores, seconds);
}

/// Of the one that is estimated fastest, against the fastest; 0: the log has no two valid trials.
double compare(const std::string &name, const Task &task, const RecordLog &log) {
    Scratch scratch;
    std::vector<Measured> trials;
    size_t refused = 0;
    for (const Record &record : log.records) {
        if (!recordMatches(record, task).ok() || !record.trial.valid()) continue;
        Candidate candidate;
        candidate.steps = record.trial.steps.unpack();
        std::string reason;
        if (evaluate(task.dag, task.target, candidate, scratch, reason))
            trials.push_back({record.trial.cost(), candidate.draft});
        else
            ++refused;
    }
    if (trials.size() < 2) return 0;
    std::sort(trials.begin(), trials.end(), [](const Measured &a, const Measured &b) { return a.seconds < b.seconds; });
    const auto chosen = std::min_element(trials.begin(), trials.end(),
                                         [](const Measured &a, const Measured &b) { return a.estimate < b.estimate; });
    std::printf("%s: %zu trials (%zu refused), ranked right %.3f, of the fast half %.3f; the one estimated fastest has "
                "%.2f of the best speed\n",
                name.c_str(), trials.size(), refused, rankedRight(trials, trials.size()),
                rankedRight(trials, trials.size() / 2), trials.front().seconds / chosen->seconds);
    return trials.front().seconds / chosen->seconds;
}

void compareNetwork(const std::string &file, const RecordLog &log, const Target &target, FusionMode fusion) {
    NetworkChoice choice;
    choice.path = file;
    choice.fusion = fusion;
    choice.level = usualLevel(fusion);
    double sum = 0;
    int tasks = 0;
    for (const NetworkTask &each : prepareNetwork(choice).tasks) {
        if (!each.searchable) continue;
        const double speed = compare(each.name, makeTask(each.dag, target), log);
        if (speed == 0) continue;
        sum += std::log(speed);
        ++tasks;
    }
    if (tasks == 0) throw Error("the log holds no two valid trials of any kernel of " + file);
    std::printf("%s: of %d kernels, those estimated fastest have %.3f of the best speed, geometric mean\n",
                file.c_str(), tasks, std::exp(sum / tasks));
}

void compareFile(const std::string &file, const std::string &logPath, int cores, FusionMode fusion) {
    const Target target = parseTarget(fmt::format("llvm -num-cores={}", cores));
    const RecordLog log = loadRecordLog(logPath);
    if (!file.ends_with(".te")) return compareNetwork(file, log, target, fusion);
    if (compare(logPath, makeTask(ComputeDag::fromWorkload(loadWorkload(file, {})), target), log) == 0)
        throw Error(logPath + ": holds no two valid trials of " + file);
}

} // namespace

int main(int argc, char **argv) {
    int cores = 1;
    FusionMode fusion = FusionMode::Compatible;
    std::vector<std::string> paths;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--cores") == 0 && i + 1 < argc)
            cores = std::atoi(argv[++i]);
        else if (std::strcmp(argv[i], "--fusion") == 0 && i + 1 < argc)
            fusion = std::strcmp(argv[++i], "better") == 0 ? FusionMode::Better : FusionMode::Compatible;
        else
            paths.emplace_back(argv[i]);
    }
    if (paths.empty() || paths.size() % 2 != 0 || cores < 1) {
        std::fprintf(stderr, "estimate_bench [--cores N] [--fusion better] FILE LOG [FILE LOG]...\n");
        return 1;
    }
    try {
        for (size_t i = 0; i < paths.size(); i += 2) compareFile(paths[i], paths[i + 1], cores, fusion);
    } catch (const Error &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
