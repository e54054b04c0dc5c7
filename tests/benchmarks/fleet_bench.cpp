// What a fleet of 1 to 1000 nodes makes of a search, simulated: the rule by which candidates are handed out is the
// fleet's own, times of building and running are drawn from a log, or from the distribution that logs of convolutions
// on two cores have; nodes are lost, and some are stragglers.
//   fleet_bench [--cores N] [--trials N] [--between SECONDS] [--lost-per-hour X] [--log FILE.json]
// The first table: trials a minute and the share of time that nodes wait, for rounds of several sizes, and for several
// rounds under way at a time. The second: what learning more seldom, and learning later, cost: by searches on made-up
// times, how much slower the best of 1024 trials is than that of single rounds as they grow by themselves.
//   fleet_bench --controller [--nodes N]...
// The real controller, and so many processes beside it that answer as nodes do: how long a free node waits for its next
// batch, how long the nodes have nothing to do, and what the controller computes for a trial.

#include "fleet_controller.h"

#include "harness/sample_dags.h"
#include "harness/scripted_search.h"
#include "measure/fleet/hand_out.h"
#include "records/record/record.h"

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

/// Nodes and the rounds that they have, as time goes on.
class Simulation {
  public:
    Simulation(const Options &options, const Times &times, size_t nodes, size_t round, size_t atOnce)
        : m_options(options), m_times(times), m_round(round), m_random(nodes * 1000 + round * 10 + atOnce),
          m_loss(options.lostPerHour / 3600), m_nodes(nodes) {
        for (Node &node : m_nodes) {
            if (m_random() % 50 == 0) node.slow = 1.5; // a straggler that is not told apart
            node.lostAt = m_loss(m_random);
        }
        for (size_t i = 0; i < atOnce; ++i) begin(0);
    }

    SimulatedSearch run() {
        double now = 0;
        while (!m_events.empty()) {
            const Event event = m_events.top();
            m_events.pop();
            now = event.at;
            if (event.node < 0) {
                m_rounds.push_back({event.count, event.count});
                for (size_t n = 0; n < m_nodes.size(); ++n) give(n, now);
                continue;
            }
            const auto n = static_cast<size_t>(event.node);
            --m_nodes[n].batches;
            m_rounds[event.round].open -= event.count;
            // Learnt from in their order, and then the next one is bred.
            for (; m_first < m_rounds.size() && m_rounds[m_first].open == 0; ++m_first) begin(now);
            give(n, now);
        }
        return {now, 1 - m_busy / (now * static_cast<double>(m_nodes.size()))};
    }

  private:
    struct Event {
        double at;
        int node; // -1: a round begins
        size_t round;
        size_t count; // candidates that end, or begin, with it
        bool operator>(const Event &other) const { return at > other.at; }
    };
    struct Node {
        double slow = 1;
        double until = 0;
        double lostAt = 0;
        size_t batches = 0;
    };
    struct Round {
        size_t waiting;
        size_t open;
    };

    /// What computes between rounds is one program.
    void begin(double now) {
        const size_t count = std::min(m_round, m_options.trials - m_begun);
        if (count == 0) return;
        m_begun += count;
        m_controller = std::max(m_controller, now) + m_options.between;
        m_events.push({m_controller, -1, 0, count});
    }

    void give(size_t n, double at) {
        Node &node = m_nodes[n];
        std::uniform_int_distribution<size_t> some(0, m_times.seconds.size() - 1);
        while (true) {
            size_t waiting = 0;
            for (size_t i = m_first; i < m_rounds.size(); ++i) waiting += m_rounds[i].waiting;
            size_t count = handedOut(waiting, m_nodes.size(), m_options.cores, node.batches);
            if (count == 0) return;
            size_t from = m_first;
            while (m_rounds[from].waiting == 0) ++from;
            count = std::min(count, m_rounds[from].waiting);
            m_rounds[from].waiting -= count;
            ++node.batches;
            double build = 0, run = 0; // built together, then run one by one
            for (size_t i = 0; i < count; ++i) {
                const auto &[b, r] = m_times.seconds[some(m_random)];
                build = std::max(build, b);
                run += r;
            }
            const double start = std::max(at, node.until);
            double end = start + (build + run) * node.slow;
            size_t kept = count;
            if (end > node.lostAt) { // what it had in flight goes back, and it needs a minute
                end = std::max(start, node.lostAt) + 60;
                node.lostAt = end + m_loss(m_random);
                m_rounds[from].waiting += count;
                kept = 0;
            } else {
                m_busy += end - start;
            }
            node.until = end;
            m_events.push({end, static_cast<int>(n), from, kept});
        }
    }

    const Options &m_options;
    const Times &m_times;
    size_t m_round;
    std::mt19937_64 m_random;
    std::exponential_distribution<double> m_loss;
    std::vector<Node> m_nodes;
    std::vector<Round> m_rounds;
    size_t m_first = 0; // that is not learnt from
    size_t m_begun = 0; // candidates
    double m_controller = 0;
    double m_busy = 0;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> m_events;
};

void throughput(const Options &options, const Times &times) {
    std::printf("trials a minute, share of the nodes' time that is idle; %zu trials, %zu cores a node, %.1f s between "
                "rounds, a node is lost %.2f times an hour\n%6s",
                options.trials, options.cores, options.between, options.lostPerHour, "nodes");
    const std::vector<std::pair<size_t, size_t>> ways{{16, 1}, {64, 1}, {256, 1}, {64, 2}, {64, 4}, {64, 8}, {64, 32}};
    for (const auto &[round, atOnce] : ways)
        std::printf("  %11s",
                    (atOnce == 1 ? fmt::format("round {}", round) : fmt::format("{} of {}", atOnce, round)).c_str());
    std::printf("\n");
    for (const size_t nodes : {1, 3, 10, 30, 100, 300, 1000}) {
        std::printf("%6d", static_cast<int>(nodes));
        for (const auto &[round, atOnce] : ways) {
            const SimulatedSearch made = Simulation(options, times, nodes, round, atOnce).run();
            std::printf("  %6.0f %3.0f%%", 60 * static_cast<double>(options.trials) / made.seconds, 100 * made.idle);
        }
        std::printf("\n");
    }
    std::fflush(stdout);
}

double bestOf(const DagPtr &dag, int trials, int round, int atOnce, uint64_t seed) {
    ScriptedMeasurer measurer;
    measurer.atOnce = atOnce;
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
        for (uint64_t seed = 0; seed < 5; ++seed) grown.push_back(bestOf(dag, trials, 0, 1, seed));
    for (const auto &[round, atOnce] :
         std::vector<std::pair<int, int>>{{16, 1}, {64, 1}, {256, 1}, {1024, 1}, {0, 2}, {0, 4}, {0, 8}, {64, 4}}) {
        if (round > trials) continue;
        double sum = 0;
        for (size_t i = 0; i < grown.size(); ++i)
            sum += std::log(bestOf(dags[i / 5], trials, round, atOnce, i % 5) / grown[i]);
        std::printf("  rounds %s, %d at a time: %.3f\n",
                    round > 0 ? fmt::format("of {}", round).c_str() : "as they grow", atOnce,
                    std::exp(sum / static_cast<double>(grown.size())));
        std::fflush(stdout);
    }
}

} // namespace

int main(int argc, char **argv) {
    Options options;
    if (argc > 1 && std::strcmp(argv[1], "--controller") == 0) return controllerBench({argv + 2, argv + argc});
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
