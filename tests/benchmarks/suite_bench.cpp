// Searches the shapes everybody compares on and times the best kernel beside the libraries, in one run:
//   suite_bench [--trials N] [--cores N] [--rounds N] [--seed N] [CLASS...]
// A class is one of samples/benchmarks.txt, or `all`. Prints a line a shape, with what each library takes or why it
// takes no part where none does, and a table of the geometric means of the ratios. Run it on a quiet machine.

#include "base/outcome.h"
#include "interleaved_timing.h"
#include "language/te/workload.h"
#include "measure/measurer.h"
#include "search/tuner.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace loopscope;

namespace {

struct Line {
    std::string cls;
    std::string file;
    ParamOverrides params;
};

std::vector<Line> readList(const std::string &folder) {
    std::ifstream list(folder + "/benchmarks.txt");
    if (!list) throw Error(folder + "/benchmarks.txt: cannot be read");
    std::vector<Line> lines;
    std::string text;
    while (std::getline(list, text)) {
        if (text.empty() || text[0] == '#') continue;
        std::istringstream words(text);
        Line line;
        words >> line.cls >> line.file;
        line.file = folder + "/" + line.file;
        std::string param;
        while (words >> param) {
            const size_t equals = param.find('=');
            line.params.emplace_back(param.substr(0, equals), std::atoll(param.c_str() + equals + 1));
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

struct Silent final : SearchObserver {
    void on(const SearchEvent &) override {}
};

struct Options {
    int trials = 256;
    int cores = 1;
    int rounds = 15;
    uint64_t seed = 0;
    std::vector<std::string> classes;
};

/// Ratio of our speed to the best library's; 0 when no library takes part.
double runLine(const Line &line, const Options &options) {
    const Workload workload = loadWorkload(line.file, line.params);
    Task task =
        makeTask(ComputeDag::fromWorkload(workload), parseTarget(fmt::format("llvm -num-cores={}", options.cores)));
    task.layoutRewrite = LayoutRewrite::Pretransformed;
    SearchOptions search;
    search.trials = options.trials;
    search.seed = options.seed;
    const auto measurer = makeWorkerMeasurer(task, {});
    XgboostOptions xgboost;
    const auto model = makeXgboostModel(xgboost);
    Silent observer;
    const SearchResult result = tune(task, search, *measurer, *model, {}, observer);
    size_t valid = 0;
    for (const auto &trial : result.trials) valid += trial.valid() ? 1 : 0;
    if (!result.best) {
        std::printf("%-4s no valid candidate\n", line.cls.c_str());
        return 0;
    }
    const auto state = replay(task.dag, result.trials[*result.best].steps.unpack());
    InterleavedTiming timing(task, options.seed);
    timing.addSchedule("loopscope", "best", *state, static_cast<int>(task.layoutRewrite));
    for (const char *baseline : {"openblas", "onednn", "blis"}) timing.addBaseline(baseline);
    timing.run(options.rounds);
    const double own = timing.ways().front().median();
    double best = INFINITY;
    std::string baselines;
    std::string refusals;
    for (const auto &way : timing.ways()) {
        if (way.name == "loopscope") continue;
        if (!way.refusal.empty()) {
            refusals += fmt::format(" {}: {};", way.name, way.refusal);
            continue;
        }
        best = std::min(best, way.median());
        baselines += fmt::format(" {} {:.1f}", way.name, way.median() * 1e6);
    }
    std::string params;
    for (const auto &[name, value] : line.params) params += fmt::format(" {}={}", name, value);
    const double ratio = std::isfinite(best) ? best / own : 0;
    const bool alone = baselines.empty();
    std::printf("%-4s ratio %5s  ours %9.1f us %7.2f GF/s |%s | %zu/%zu valid, %.0f s |%s\n", line.cls.c_str(),
                alone ? "-" : fmt::format("{:.2f}", ratio).c_str(), own * 1e6, task.dag->flops() / own * 1e-9,
                alone ? refusals.c_str() : (baselines + " us").c_str(), valid, result.trials.size(),
                result.searchSeconds + result.measureSeconds, params.c_str());
    std::fflush(stdout);
    return ratio;
}

} // namespace

int main(int argc, char **argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const auto number = [&] { return i + 1 < argc ? std::atoll(argv[++i]) : 0; };
        if (std::strcmp(argv[i], "--trials") == 0) {
            options.trials = static_cast<int>(number());
        } else if (std::strcmp(argv[i], "--cores") == 0) {
            options.cores = static_cast<int>(number());
        } else if (std::strcmp(argv[i], "--rounds") == 0) {
            options.rounds = static_cast<int>(number());
        } else if (std::strcmp(argv[i], "--seed") == 0) {
            options.seed = static_cast<uint64_t>(number());
        } else {
            options.classes.emplace_back(argv[i]);
        }
    }
    if (options.classes.empty()) options.classes = {"GMM", "C2D", "DEP", "CBR", "NRM", "SFM"};
    try {
        const auto lines = readList(LOOPSCOPE_SOURCE_DIR "/samples");
        if (options.classes == std::vector<std::string>{"all"}) {
            options.classes.clear();
            for (const auto &line : lines)
                if (std::find(options.classes.begin(), options.classes.end(), line.cls) == options.classes.end())
                    options.classes.push_back(line.cls);
        }
        std::string table;
        for (const auto &cls : options.classes) {
            if (std::none_of(lines.begin(), lines.end(), [&](const Line &line) { return line.cls == cls; }))
                throw Error("samples/benchmarks.txt has no class " + cls);
            double sum = 0;
            int count = 0;
            for (const auto &line : lines) {
                if (line.cls != cls) continue;
                const double ratio = runLine(line, options);
                if (ratio <= 0) continue;
                sum += std::log(ratio);
                ++count;
            }
            table += count > 0 ? fmt::format("{:<4} {:6.3f}  of {} shapes\n", cls, std::exp(sum / count), count)
                               : fmt::format("{:<4}      -  no library takes part\n", cls);
        }
        std::printf("geometric mean of ours over the best library, %d cores, %d trials\n%s", options.cores,
                    options.trials, table.c_str());
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "suite_bench: %s\n", failure.what());
        return 1;
    }
    return 0;
}
