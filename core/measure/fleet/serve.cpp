#include "measure/fleet/serve.h"

#include "measure/fleet/messages.h"
#include "measure/fleet/piece_stream.h"
#include "measure/fleet/reference_kernel.h"
#include "measure/messages.h"
#include "measure/timing/machine_peaks.h"
#include "measure/worker_pool.h"
#include "schedule/steps_json.h"

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <deque>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sched.h>
#include <set>
#include <thread>
#include <unistd.h>

namespace loopscope {

namespace {

// A controller asks every few seconds. When a whole minute was silent, it is gone or cannot be reached.
constexpr double kLease = 60;

int usableCores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

std::string hostName() {
    char name[256] = {};
    return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

NodeHello hello() {
    const Target target = parseTarget("llvm");
    return {fleetBuild(), hostName(), processorModel(), target.text(), target.cpu, target.vectorBytes, usableCores()};
}

class Server {
  public:
    Server(int in, int out) : m_in(in), m_stream(in, out, PieceStream::End::Node) {}

    int run() {
        m_stream.send(helloText(hello()));
        std::thread reader([this] { read(); });
        while (auto message = next()) {
            try {
                handle(*message);
            } catch (const std::exception &problem) {
                std::fprintf(stderr, "loopscope-worker: %s\n", problem.what());
                m_failed = true;
                break;
            }
        }
        m_gone = true;
        reader.join();
        return m_failed ? 1 : 0;
    }

  private:
    using Clock = std::chrono::steady_clock;

    /// On a thread of its own: what arrives is acknowledged, and a controller that asks is answered, whatever is being
    /// measured.
    void read() {
        auto heardAt = Clock::now();
        uint64_t heard = 0;
        bool there = true;
        while (there && !m_gone) {
            pollfd readable{m_in, POLLIN, 0};
            ::poll(&readable, 1, 500);
            there = m_stream.pump();
            if (m_stream.heard() != heard) {
                heard = m_stream.heard();
                heardAt = Clock::now();
            } else if (std::chrono::duration<double>(Clock::now() - heardAt).count() > kLease) {
                std::fprintf(stderr, "loopscope-worker: nobody has asked for a minute\n");
                there = false;
            }
            try {
                while (auto message = m_stream.take()) take(std::move(*message));
            } catch (const WireError &problem) {
                std::fprintf(stderr, "loopscope-worker: %s\n", problem.what());
                there = false;
            }
        }
        {
            const std::lock_guard lock(m_mutex);
            m_ended = true;
        }
        m_cancel = true; // whatever is under way
        m_wake.notify_all();
    }

    void take(std::string message) {
        const std::lock_guard lock(m_mutex);
        if (!message.empty() && message[0] == static_cast<char>(FleetMessage::Cancel)) {
            for (const uint64_t batch : decodeFleet<FleetCancel>(message).batches) m_cancelled.insert(batch);
            if (m_cancelled.contains(m_current)) m_cancel = true;
            return;
        }
        m_messages.push_back(std::move(message));
        m_wake.notify_all();
    }

    std::optional<std::string> next() {
        std::unique_lock lock(m_mutex);
        m_wake.wait(lock, [this] { return m_ended || !m_messages.empty(); });
        if (m_ended) return std::nullopt;
        std::string message = std::move(m_messages.front());
        m_messages.pop_front();
        return message;
    }

    void handle(const std::string &message) {
        const double waited = m_endedAt ? std::chrono::duration<double>(Clock::now() - *m_endedAt).count() : -1;
        m_endedAt.reset();
        switch (fleetMessageOf(message)) {
        case FleetMessage::Task:
            return setUp(decodeFleet<FleetTask>(message));
        case FleetMessage::Measure:
            return measure(decodeFleet<FleetMeasure>(message), waited);
        case FleetMessage::Interleave:
            return interleave(decodeFleet<FleetInterleave>(message));
        case FleetMessage::Reference:
            m_stream.send(encodeFleet(FleetReference{referenceSeconds(&m_ended)}));
            return;
        default:
            throw WireError();
        }
    }

    void setUp(const FleetTask &message) {
        FleetReady ready{message.task, {}, false, {}};
        try {
            const SetupMessage setup = decodeSetup(message.setup);
            Task task = makeTask(dagOf(setup), setup.target);
            task.layoutRewrite = static_cast<LayoutRewrite>(setup.layoutRewrite);
            if (!m_pool) {
                MeasureOptions options;
                options.workerPath = "/proc/self/exe"; // this program, wherever it lies, and when it is gone, too
                options.buildWorkers = usableCores();
                options.buildTimeout = message.buildTimeout;
                options.runTimeout = message.runTimeout;
                options.referenceTimeout = message.referenceTimeout;
                options.memoryLimitMiB = message.memoryLimitMiB;
                options.seed = message.seed;
                options.kernelThreads = message.kernelThreads;
                options.sampling = message.sampling;
                m_pool = std::make_shared<WorkerPool>(options);
            }
            auto measurer = makePoolMeasurer(m_pool, task);
            measurer->prepare(&m_ended);
            ready.notes = measurer->notes();
            m_measurers[message.task] = std::move(measurer);
        } catch (const ReferenceTimeout &problem) {
            ready.problem = problem.what();
            ready.tooLong = true;
        } catch (const Error &problem) {
            ready.problem = problem.what();
        }
        m_stream.send(encodeFleet(ready));
    }

    Measurer &measurerOf(int task) {
        const auto found = m_measurers.find(task);
        if (found == m_measurers.end()) throw WireError();
        return *found->second;
    }

    /// False where it was cancelled before it began.
    bool begin(uint64_t batch) {
        const std::lock_guard lock(m_mutex);
        m_current = batch;
        m_cancel = m_ended || m_cancelled.contains(batch);
        return !m_cancel;
    }

    void end() {
        const std::lock_guard lock(m_mutex);
        m_current = 0;
    }

    static std::vector<Steps> stepsOf(const std::vector<std::string> &texts) {
        std::vector<Steps> steps;
        for (const std::string &text : texts) steps.push_back(stepsFromJson(nlohmann::json::parse(text)));
        return steps;
    }

    void measure(const FleetMeasure &message, double waited) {
        FleetMeasureEnd done{message.batch, {}, waited};
        if (begin(message.batch)) {
            MeasureWatch watch;
            watch.cancel = &m_cancel;
            watch.onStage = [&](size_t index, TrialStage stage) {
                m_stream.send(encodeFleet(FleetStage{message.batch, index, stage}));
            };
            try {
                measurerOf(message.task)
                    .measure(
                        stepsOf(message.steps),
                        [&](size_t index, const Trial &trial) {
                            m_stream.send(encodeFleet(fleetTrial(message.batch, index, trial)));
                        },
                        watch);
            } catch (const Error &problem) {
                done.problem = problem.what();
            }
        }
        end();
        m_stream.send(encodeFleet(done));
        m_endedAt = Clock::now();
    }

    void interleave(const FleetInterleave &message) {
        FleetSamples reply{message.batch, {}, {}, {}};
        if (begin(message.batch)) {
            MeasureWatch watch;
            watch.cancel = &m_cancel;
            try {
                for (TurnSamples &turn :
                     measurerOf(message.task).measureInterleaved(stepsOf(message.steps), message.rounds, watch)) {
                    reply.samples.push_back(std::move(turn.seconds));
                    reply.least.push_back(turn.least);
                }
            } catch (const Error &problem) {
                reply.problem = problem.what();
            }
        }
        end();
        m_stream.send(encodeFleet(reply));
    }

    int m_in;
    PieceStream m_stream;
    std::mutex m_mutex; // of what stands below
    std::condition_variable m_wake;
    std::deque<std::string> m_messages;
    uint64_t m_current = 0;
    std::set<uint64_t> m_cancelled;
    std::atomic<bool> m_ended{false};
    std::atomic<bool> m_cancel{false};
    std::atomic<bool> m_gone{false};
    bool m_failed = false;
    std::shared_ptr<WorkerPool> m_pool;         // of the main thread, like the rest
    std::optional<Clock::time_point> m_endedAt; // of the last batch, when nothing came since
    std::map<int, std::unique_ptr<Measurer>> m_measurers;
};

} // namespace

int serveFleet() {
    ::signal(SIGPIPE, SIG_IGN);
    // Whatever else writes to standard output must not come between the messages.
    const int out = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 16);
    const int in = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 16);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    ::fcntl(in, F_SETFL, ::fcntl(in, F_GETFL) | O_NONBLOCK);
    // A program that was sent here for this run alone leaves nothing behind.
    if (const char *sent = std::getenv("LOOPSCOPE_SENT_WORKER"); sent != nullptr && *sent != '\0') ::unlink(sent);
    return Server(in, out).run();
}

} // namespace loopscope
