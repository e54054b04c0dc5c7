// A node of a fleet that builds and runs nothing: it says what its arguments tell it to, after the time that they tell.
//   scripted_node [--build SECONDS] [--run SECONDS] [--reference SECONDS]... [--broken SENTENCE] [--cores N]
//                 [--dies TRIALS] [--learn SECONDS] [--ignorant SENTENCE]
// Building takes so long in the median, of all candidates of a batch together, running of each; logarithms of both are
// normally distributed as those of real logs are. The reference kernel takes the seconds that are given, one time after
// the other, and then the last for good. Of a trial, the build seconds are those from the end of a batch until the next
// one arrived, of the first candidate of that one; the run seconds those that the node had nothing to do before.

#include "measure/fleet/messages.h"
#include "measure/fleet/piece_stream.h"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <poll.h>
#include <random>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace loopscope;

namespace {

using Clock = std::chrono::steady_clock;

struct Script {
    double build = 0.45;
    double run = 0.35;
    int cores = 2;
    std::vector<double> reference;
    std::string broken;
    size_t dies = 0;      // after so many trials; 0: never
    double learn = 0;     // seconds that a task takes
    std::string ignorant; // why it cannot learn any
};

class Node {
  public:
    explicit Node(Script script)
        : m_script(std::move(script)), m_stream(STDIN_FILENO, STDOUT_FILENO, PieceStream::End::Node),
          m_random(static_cast<unsigned>(::getpid())) {}

    int run() {
        m_stream.send(helloText({fleetBuild(), "scripted", "a processor", "llvm", "scripted", 32, m_script.cores}));
        while (true) {
            pollfd readable{STDIN_FILENO, POLLIN, 0};
            ::poll(&readable, 1, wait());
            if (!m_stream.pump()) return 0;
            while (auto message = m_stream.take()) take(*message);
            work();
        }
    }

  private:
    struct Batch {
        FleetMeasure message;
        double handOut = 0; // seconds
        size_t next = 0;
        Clock::time_point due; // of what is done now
        bool built = false;
        double idle = 0;
        double waited = -1; // as FleetMeasureEnd has it
    };

    [[nodiscard]] int wait() const {
        if (m_batches.empty()) return 1000;
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(m_batches.front().due - Clock::now());
        return static_cast<int>(std::max<long>(0, left.count()));
    }

    void take(const std::string &message) {
        switch (fleetMessageOf(message)) {
        case FleetMessage::Task:
            std::this_thread::sleep_for(std::chrono::duration<double>(m_script.learn));
            m_stream.send(encodeFleet(FleetReady{decodeFleet<FleetTask>(message).task, m_script.ignorant, false, {}}));
            return;
        case FleetMessage::Reference: {
            const std::vector<double> &times = m_script.reference;
            const double seconds = times.empty() ? 0.01 : times[std::min(m_references++, times.size() - 1)];
            m_stream.send(encodeFleet(FleetReference{seconds}));
            return;
        }
        case FleetMessage::Cancel:
            return; // what was asked for is measured all the same
        case FleetMessage::Interleave: {
            const auto asked = decodeFleet<FleetInterleave>(message);
            FleetSamples samples{asked.batch, {}, {}, {}};
            for (size_t i = 0; i < asked.steps.size(); ++i) {
                samples.samples.emplace_back(static_cast<size_t>(asked.rounds), 1e-3 * static_cast<double>(i + 1));
                samples.least.push_back(1e-3 * static_cast<double>(i + 1));
            }
            m_stream.send(encodeFleet(samples));
            return;
        }
        case FleetMessage::Measure:
            begin(decodeFleet<FleetMeasure>(message));
            return;
        default:
            return;
        }
    }

    void begin(FleetMeasure message) {
        const auto now = Clock::now();
        Batch batch;
        batch.message = std::move(message);
        if (m_ended) batch.handOut = std::chrono::duration<double>(now - *m_ended).count();
        m_ended.reset();
        if (!m_batches.empty()) batch.waited = 0;
        if (m_batches.empty()) {
            if (m_idleSince) batch.waited = batch.idle = std::chrono::duration<double>(now - *m_idleSince).count();
            batch.due = now + drawn(m_script.build, 0.4);
        }
        m_batches.push_back(std::move(batch));
    }

    Clock::duration drawn(double median, double spread) {
        std::lognormal_distribution<double> times(std::log(std::max(median, 1e-9)), spread);
        return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(times(m_random)));
    }

    void work() {
        while (!m_batches.empty() && Clock::now() >= m_batches.front().due) {
            Batch &batch = m_batches.front();
            if (!m_script.broken.empty()) {
                end(m_script.broken);
                continue;
            }
            if (batch.built) {
                FleetTrial trial{batch.message.batch, batch.next, {}, {1e-3, 1e-3, 1e-3}};
                trial.buildSeconds = batch.next == 0 ? batch.handOut : 0;
                trial.runSeconds = batch.next == 0 ? batch.idle : 0;
                m_stream.send(encodeFleet(trial));
                ++batch.next;
                if (++m_trials == m_script.dies) std::exit(3);
            }
            batch.built = true;
            if (batch.next == batch.message.steps.size()) {
                end({});
                continue;
            }
            m_stream.send(encodeFleet(FleetStage{batch.message.batch, batch.next, TrialStage::Running}));
            batch.due = Clock::now() + drawn(m_script.run, 0.7);
        }
    }

    void end(const std::string &problem) {
        m_stream.send(encodeFleet(FleetMeasureEnd{m_batches.front().message.batch, problem, m_batches.front().waited}));
        m_batches.pop_front();
        m_ended = Clock::now();
        if (m_batches.empty())
            m_idleSince = m_ended;
        else
            m_batches.front().due = *m_ended + drawn(m_script.build, 0.4);
    }

    Script m_script;
    PieceStream m_stream;
    std::mt19937_64 m_random;
    std::deque<Batch> m_batches;
    std::optional<Clock::time_point> m_ended;     // a batch, and none came since
    std::optional<Clock::time_point> m_idleSince; // likewise, and there was no other
    size_t m_references = 0;
    size_t m_trials = 0;
};

} // namespace

int main(int argc, char **argv) {
    Script script;
    for (int i = 1; i + 1 < argc; i += 2) {
        const auto is = [&](const char *name) { return std::strcmp(argv[i], name) == 0; };
        if (is("--build")) script.build = std::stod(argv[i + 1]);
        if (is("--run")) script.run = std::stod(argv[i + 1]);
        if (is("--reference")) script.reference.push_back(std::stod(argv[i + 1]));
        if (is("--broken")) script.broken = argv[i + 1];
        if (is("--dies")) script.dies = std::stoul(argv[i + 1]);
        if (is("--learn")) script.learn = std::stod(argv[i + 1]);
        if (is("--ignorant")) script.ignorant = argv[i + 1];
        if (is("--cores")) script.cores = std::stoi(argv[i + 1]);
    }
    ::fcntl(STDIN_FILENO, F_SETFL, ::fcntl(STDIN_FILENO, F_GETFL) | O_NONBLOCK);
    return Node(std::move(script)).run();
}
