// How much of a search is luck: searches each layer with several seeds, then times the best kernel of every seed beside
// the library's, in turn, in one run (each one's least time counts):
//   luck_bench [--cores N] [--trials N] [--per-round N] [--seeds N] [--first-seed N] [--rounds N] [--trials-to FILE]
//              [FILE[:NAME=VALUE,...]...]
// Prints a line a seed and, for each layer, worst, median, worst over median and median over the library. --trials-to
// writes a line for every trial: where it came from, what was predicted, what it was worth, its steps. Run it on a
// quiet machine.

#include "base/outcome.h"
#include "interleaved_timing.h"
#include "language/te/workload.h"
#include "measure/measurer.h"
#include "schedule/steps_json.h"
#include "search/tuner.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using namespace loopscope;

namespace {

struct Options {
    int cores = 2;
    int rounds = 31;
    int seeds = 10;
    uint64_t firstSeed = 0;
    SearchOptions search;
    std::string trialsTo;
    std::vector<std::string> layers;
};

/// Writes a line for every trial.
class Chronicle final : public SearchObserver {
  public:
    explicit Chronicle(std::ofstream &out) : m_out(out) {}
    std::string prefix; // of every line: layer and seed
    std::vector<double> gflops;

    void on(const SearchEvent &event) override {
        const auto *finished = std::get_if<TrialFinished>(&event);
        if (!finished) return;
        gflops.push_back(finished->gflops);
        if (!m_out.is_open()) return;
        const Ancestor *origin = finished->ancestry.get();
        std::string path;
        for (; origin && origin->parent; origin = origin->parent.get()) path += fmt::format("{} ", origin->mutation);
        m_out << fmt::format("{} trial {} round {} sketch {} predicted {:.3f} gflops {:.1f}{} from {} by [{}] {}\n",
                             prefix, finished->number, finished->round, finished->sketch, finished->predicted,
                             finished->gflops, finished->trial.unstable ? "?" : "", origin ? origin->trial : -1, path,
                             stepsText(finished->trial.steps.unpack()));
        m_out.flush();
    }

  private:
    std::ofstream &m_out;
};

Workload layerOf(const std::string &text) {
    const size_t colon = text.find(':');
    ParamOverrides params;
    std::istringstream words(colon == std::string::npos ? "" : text.substr(colon + 1));
    std::string param;
    while (std::getline(words, param, ',')) {
        const size_t equals = param.find('=');
        if (equals == std::string::npos) throw Error("'" + param + "' in '" + text + "' is not NAME=VALUE");
        params.emplace_back(param.substr(0, equals), std::atoll(param.c_str() + equals + 1));
    }
    return loadWorkload(text.substr(0, colon), params);
}

void runLayer(const std::string &layer, const Options &options, std::ofstream &trials) {
    const Workload workload = layerOf(layer);
    Task task =
        makeTask(ComputeDag::fromWorkload(workload), parseTarget(fmt::format("llvm -num-cores={}", options.cores)));
    task.layoutRewrite = LayoutRewrite::Pretransformed;
    std::printf("%s, %d cores, %d trials, %d in the first round\n", layer.c_str(), options.cores, options.search.trials,
                options.search.roundSize(0));
    const auto measurer = makeWorkerMeasurer(task, {});
    InterleavedTiming timing(task, 0);
    struct Found {
        uint64_t seed;
        std::string course; // best after each round
        double seconds;     // of the search
    };
    std::vector<Found> found;
    for (int i = 0; i < options.seeds; ++i) {
        SearchOptions search = options.search;
        search.seed = options.firstSeed + static_cast<uint64_t>(i);
        XgboostOptions xgboost;
        xgboost.seed = search.seed + 43;
        const auto model = makeXgboostModel(xgboost);
        Chronicle chronicle(trials);
        chronicle.prefix = fmt::format("{} seed {}", layer, search.seed);
        const SearchResult result = tune(task, search, *measurer, *model, {}, chronicle);
        if (!result.best) {
            std::printf("  seed %llu: no valid candidate\n", static_cast<unsigned long long>(search.seed));
            continue;
        }
        const auto state = replay(task.dag, result.trials[*result.best].steps.unpack());
        timing.addSchedule(fmt::format("seed {}", search.seed), "best", *state, static_cast<int>(task.layoutRewrite));
        Found mine{search.seed, {}, result.searchSeconds + result.measureSeconds};
        double best = 0;
        for (size_t t = 0; t < chronicle.gflops.size(); ++t) {
            best = std::max(best, chronicle.gflops[t]);
            if ((t + 1) % 16 == 0 || t + 1 == chronicle.gflops.size()) mine.course += fmt::format(" {:.0f}", best);
        }
        found.push_back(std::move(mine));
    }
    for (const char *baseline : {"openblas", "onednn", "blis"}) timing.addBaseline(baseline);
    timing.run(options.rounds);
    const double flops = task.dag->flops() * 1e-9;
    std::vector<double> speeds;
    double library = 0;
    for (size_t i = 0; i < timing.ways().size(); ++i) {
        const TimedWay &way = timing.ways()[i];
        if (!way.refusal.empty() || way.seconds.empty()) {
            if (i < found.size()) std::printf("  %s: %s\n", way.name.c_str(), way.refusal.c_str());
            continue;
        }
        // What others do beside it can only add to a time.
        const double speed = flops / *std::min_element(way.seconds.begin(), way.seconds.end());
        if (i < found.size()) {
            speeds.push_back(speed);
            std::printf("  %-8s %7.1f GF/s, %.0f s; best after every 16 trials:%s\n", way.name.c_str(), speed,
                        found[i].seconds, found[i].course.c_str());
        } else {
            library = std::max(library, speed);
            std::printf("  %-8s %7.1f GF/s\n", way.name.c_str(), speed);
        }
    }
    if (speeds.empty()) return;
    std::sort(speeds.begin(), speeds.end());
    const double median = (speeds[(speeds.size() - 1) / 2] + speeds[speeds.size() / 2]) / 2;
    std::printf("  worst %.1f, median %.1f, best %.1f; worst/median %.2f, median/library %s\n", speeds.front(), median,
                speeds.back(), speeds.front() / median,
                library > 0 ? fmt::format("{:.2f}", median / library).c_str() : "-");
    std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const auto number = [&] { return i + 1 < argc ? std::atoi(argv[++i]) : 0; };
        if (std::strcmp(argv[i], "--trials") == 0) {
            options.search.trials = number();
        } else if (std::strcmp(argv[i], "--per-round") == 0) {
            options.search.trialsPerRound = number();
        } else if (std::strcmp(argv[i], "--cores") == 0) {
            options.cores = number();
        } else if (std::strcmp(argv[i], "--seeds") == 0) {
            options.seeds = number();
        } else if (std::strcmp(argv[i], "--first-seed") == 0) {
            options.firstSeed = static_cast<uint64_t>(number());
        } else if (std::strcmp(argv[i], "--rounds") == 0) {
            options.rounds = number();
        } else if (std::strcmp(argv[i], "--trials-to") == 0 && i + 1 < argc) {
            options.trialsTo = argv[++i];
        } else {
            options.layers.emplace_back(argv[i]);
        }
    }
    const std::string samples = LOOPSCOPE_SOURCE_DIR "/samples/";
    if (options.layers.empty())
        options.layers = {samples + "conv2d_nhwc.te:H=14,W=14,CI=256,CO=256", samples + "conv2d_bias_relu.te",
                          samples + "matmul.te:M=512,N=512,K=512", samples + "softmax.te:M=256,N=256"};
    try {
        std::ofstream trials;
        if (!options.trialsTo.empty()) {
            trials.open(options.trialsTo);
            if (!trials) throw Error(options.trialsTo + ": cannot be written");
        }
        for (const std::string &layer : options.layers) runLayer(layer, options, trials);
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "luck_bench: %s\n", failure.what());
        return 1;
    }
    return 0;
}
