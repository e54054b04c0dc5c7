// What a fleet of 1 to 1000 nodes makes of a search, simulated: the rule by which candidates are handed out is the
// fleet's own, times of building and running are drawn from a log, or from the distribution that logs of convolutions
// on two cores have; nodes are lost, and some are stragglers.
//   fleet_bench [--cores N] [--trials N] [--between SECONDS] [--lost-per-hour X] [--log FILE.json]
// The first table: trials a minute and the share of time that nodes wait, for rounds of several sizes, and where the
// next round is bred while the last is measured (asynchronous picking, which learns a round later). The second: what
// learning more seldom costs, by searches on made-up times: how much slower the best of 1024 trials is than that of
// rounds as they grow by themselves.

#include "fleet/hand_out.h"
#include "harness/sample_dags.h"
#include "harness/scripted_search.h"
#include "record/record.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <queue>
#include <random>
#include <string>
#include <vector>

using namespace loopscope;

namespace {

struct Options {
    size_t cores = 2;
    size_t trials = 1024;
    double between = 1.5; // seconds of learning and breeding between two rounds
    double lostPerHour = 0.05;
    std::string log;
};

struct Times {
    std::vector<std::pair<double, double>> seconds; // build, run
};

/// Medians 0.45 s and 0.35 s, a tail of ten times that.
Times usualTimes() {
    std::mt19937_64 random(1);
    std::lognormal_distribution<double> build(std::log(0.45), 0.4), run(std::log(0.35), 0.7);
    Times times;
    for (int i = 0; i < 4096; ++i) times.seconds.emplace_back(build(random), run(random));
    return times;
}

/// A log keeps the sum; as much of it is building as in the usual times.
Times timesOf(const std::string &path) {
    Times times;
    for (const Record &record : loadRecordLog(path).records)
        if (record.trial.runSeconds > 0)
            times.seconds.emplace_back(0.56 * record.trial.runSeconds, 0.44 * record.trial.runSeconds);
    if (times.seconds.empty()) throw Error(path, 0, 0, "no record says how long it took");
    return times;
}

struct SimulatedSearch {
    double seconds = 0;
    double idle = 0; // share of all nodes' time
};

/// Rounds of that size over so many nodes. `ahead`: the next round waits already when one ends.
SimulatedSearch simulate(const Options &options, const Times &times, size_t nodes, size_t round, bool ahead) {
    std::mt19937_64 random(nodes * 1000 + round);
    std::uniform_int_distribution<size_t> some(0, times.seconds.size() - 1);
    std::exponential_distribution<double> loss(options.lostPerHour / 3600);
    std::vector<double> speed(nodes, 1);
    for (double &one : speed)
        if (random() % 50 == 0) one = 1.5; // stragglers that are not told apart
    struct Event {
        double at;
        size_t node;
        size_t count; // candidates that end with it
        bool operator>(const Event &other) const { return at > other.at; }
    };
    double now = 0, busy = 0;
    size_t done = 0;
    std::vector<double> freeAt(nodes, 0), lostAt(nodes);
    for (double &at : lostAt) at = loss(random);
    while (done < options.trials) {
        size_t waiting = std::min(round, options.trials - done);
        size_t open = waiting;
        std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
        std::vector<size_t> batches(nodes, 0);
        std::vector<double> until(nodes);
        for (size_t n = 0; n < nodes; ++n) until[n] = std::max(now, ahead ? freeAt[n] : now);
        const auto give = [&](size_t n, double at) {
            while (true) {
                const size_t count = handedOut(waiting, nodes, options.cores, batches[n]);
                if (count == 0) return;
                waiting -= count;
                ++batches[n];
                double build = 0, run = 0; // built together, then run one by one
                for (size_t i = 0; i < count; ++i) {
                    const auto &[b, r] = times.seconds[some(random)];
                    build = std::max(build, b);
                    run += r;
                }
                const double begin = std::max(at, until[n]);
                double end = begin + (build + run) * speed[n];
                size_t kept = count;
                if (end > lostAt[n]) { // what it had in hand goes back, and it needs a minute
                    end = std::max(begin, lostAt[n]) + 60;
                    lostAt[n] = end + loss(random);
                    waiting += count;
                    kept = 0;
                } else {
                    busy += end - begin;
                }
                until[n] = end;
                events.push({end, n, kept});
            }
        };
        for (size_t n = 0; n < nodes; ++n) give(n, now);
        double last = now;
        while (open > 0) {
            const Event event = events.top();
            events.pop();
            --batches[event.node];
            open -= event.count;
            last = std::max(last, event.at);
            give(event.node, event.at);
        }
        for (size_t n = 0; n < nodes; ++n) freeAt[n] = std::min(until[n], last);
        done += std::min(round, options.trials - done);
        now = ahead ? std::max(now + options.between, std::max(now, last - options.between)) : last + options.between;
        if (done >= options.trials) now = last;
    }
    return {now, 1 - busy / (now * static_cast<double>(nodes))};
}

void throughput(const Options &options, const Times &times) {
    std::printf("trials a minute, share of the nodes' time that is idle; %zu trials, %zu cores a node, %.1f s between "
                "rounds, a node is lost %.2f times an hour\n%6s",
                options.trials, options.cores, options.between, options.lostPerHour, "nodes");
    const std::vector<size_t> rounds{16, 64, 256, 1024};
    for (const size_t round : rounds) std::printf("  %11s", fmt::format("round {}", round).c_str());
    std::printf("  %11s\n", "64, ahead");
    for (const size_t nodes : {1, 3, 10, 30, 100, 300, 1000}) {
        std::printf("%6d", static_cast<int>(nodes));
        for (const size_t round : rounds) {
            const SimulatedSearch made = simulate(options, times, nodes, round, false);
            std::printf("  %6.0f %3.0f%%", 60 * static_cast<double>(options.trials) / made.seconds, 100 * made.idle);
        }
        const SimulatedSearch made = simulate(options, times, nodes, 64, true);
        std::printf("  %6.0f %3.0f%%\n", 60 * static_cast<double>(options.trials) / made.seconds, 100 * made.idle);
    }
}

double bestOf(const DagPtr &dag, int trials, int round, uint64_t seed) {
    ScriptedMeasurer measurer;
    SearchOptions options;
    options.trials = trials;
    options.trialsPerRound = round;
    options.seed = seed;
    options.population = 512;
    options.threads = 0;
    const std::unique_ptr<CostModel> model = makeXgboostModel({});
    SearchListener listener;
    const SearchResult result = tune(taskForTwoCores(dag), options, measurer, *model, {}, listener);
    return result.best ? result.trials[*result.best].cost() : 0;
}

void quality(int trials) {
    std::printf("\nthe best of %d trials over that of rounds as they grow, geometric mean of 5 seeds and 2 workloads\n",
                trials);
    const std::vector<DagPtr> dags{matmulDag(512, 512, 512), matmulDag(128, 768, 3072)};
    std::vector<double> grown;
    for (const DagPtr &dag : dags)
        for (uint64_t seed = 0; seed < 5; ++seed) grown.push_back(bestOf(dag, trials, 0, seed));
    for (const int round : {16, 64, 256, 1024}) {
        if (round > trials) continue;
        double sum = 0;
        for (size_t i = 0; i < grown.size(); ++i) sum += std::log(bestOf(dags[i / 5], trials, round, i % 5) / grown[i]);
        std::printf("  rounds of %4d: %.3f\n", round, std::exp(sum / static_cast<double>(grown.size())));
        std::fflush(stdout);
    }
}

} // namespace

int main(int argc, char **argv) {
    Options options;
    for (int i = 1; i + 1 < argc; i += 2) {
        const auto is = [&](const char *name) { return std::strcmp(argv[i], name) == 0; };
        if (is("--cores")) options.cores = std::stoul(argv[i + 1]);
        if (is("--trials")) options.trials = std::stoul(argv[i + 1]);
        if (is("--between")) options.between = std::stod(argv[i + 1]);
        if (is("--lost-per-hour")) options.lostPerHour = std::stod(argv[i + 1]);
        if (is("--log")) options.log = argv[i + 1];
    }
    try {
        throughput(options, options.log.empty() ? usualTimes() : timesOf(options.log));
        quality(static_cast<int>(std::min<size_t>(options.trials, 1024)));
    } catch (const std::exception &error) {
        std::fprintf(stderr, "fleet_bench: %s\n", error.what());
        return 1;
    }
}
