#include "measure/build_pool.h"

#include "base/check.h"
#include "base/isolate/killed_outside.h"
#include "base/isolate/sandbox.h"
#include "base/outcome.h"
#include "measure/timing/machine_use.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>

namespace loopscope {

namespace {

double secondsSince(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

struct BuildPool::Batch {
    const std::vector<BuildRequest> &requests;
    const MeasureWatch &watch;
    std::vector<std::optional<BuildReply>> replies;
    size_t next = 0;
    size_t open = 0;                // handed out, not answered
    std::vector<size_t> again = {}; // handed out once, whose process somebody ended
    std::vector<int> killed = {};   // how often, by request

    void tell(size_t index, TrialStage stage) const {
        if (watch.onStage) watch.onStage(index, stage);
    }
    void answer(size_t index, BuildReply reply) {
        replies[index] = std::move(reply);
        --open;
        tell(index, TrialStage::Built);
    }
};

BuildPool::BuildPool(SpawnThread &spawner, std::string path, int workers, double timeout)
    : m_spawner(spawner), m_path(std::move(path)), m_timeout(timeout) {
    m_workers.resize(static_cast<size_t>(std::max(workers, 1)));
}

BuildPool::~BuildPool() = default;

const SetupMessage &BuildPool::setupOf(int task) const {
    const auto found =
        std::find_if(m_tasks.begin(), m_tasks.end(), [&](const SetupMessage &setup) { return setup.task == task; });
    LOOPSCOPE_CHECK(found != m_tasks.end(), "the task was added before it is built for");
    return *found;
}

void BuildPool::add(SetupMessage setup) {
    const int task = setup.task;
    m_tasks.push_back(std::move(setup));
    for (Worker &worker : m_workers) {
        if (worker.child)
            sendSetup(worker, task);
        else
            start(worker, task);
    }
    // A batch of nothing waits for all of them, so that a worker which cannot start is an error here and now.
    const std::vector<BuildRequest> nothing;
    const MeasureWatch nobody;
    Batch none{nothing, nobody, {}};
    while (std::any_of(m_workers.begin(), m_workers.end(), [](const Worker &worker) { return worker.pending; })) {
        std::vector<pollfd> events;
        for (Worker &worker : m_workers) events.push_back({worker.child->channel().fd(), POLLIN, 0});
        if (::poll(events.data(), events.size(), kPollMilliseconds) < 0 && errno != EINTR) break;
        for (Worker &worker : m_workers) take(none, worker);
    }
}

void BuildPool::start(Worker &worker, int task) {
    worker = Worker{};
    worker.child = std::make_unique<ChildProcess>(m_spawner, m_path, "build");
    sendSetup(worker, task);
}

void BuildPool::sendSetup(Worker &worker, int task) {
    worker.pending = task;
    worker.memoryKills = memoryKills();
    worker.started = Clock::now();
    if (worker.child->channel().send(encode(setupOf(task)))) return;
    if (!worker.known.empty()) {
        start(worker, task); // it died while there was nothing to do
        return;
    }
    const std::string ending = worker.child->howItEnded();
    throw Error(m_path, 0, 0, fmt::format("the build worker {}{}", ending, worker.child->startAdvice()));
}

void BuildPool::handOut(Batch &batch, Worker &worker) {
    const bool again = !batch.again.empty();
    if (!worker.idle() || (!again && batch.next == batch.requests.size()) || batch.watch.paused()) return;
    const size_t job = again ? batch.again.back() : batch.next;
    const int task = batch.requests[job].task;
    if (!worker.known.contains(task)) { // it was replaced since; the job goes to whoever knows the task first
        sendSetup(worker, task);
        return;
    }
    if (again)
        batch.again.pop_back();
    else
        ++batch.next;
    worker.job = job;
    worker.memoryKills = memoryKills();
    worker.started = Clock::now();
    ++batch.open;
    // When it is dead already, the next read says so.
    (void)worker.child->channel().send(encode(batch.requests[*worker.job]));
    batch.tell(*worker.job, TrialStage::Building);
}

void BuildPool::lose(Batch &batch, Worker &worker, TrialError error, const std::string &reason) {
    const int task = worker.job ? batch.requests[*worker.job].task : *worker.known.begin();
    if (worker.job) {
        BuildReply reply;
        reply.error = error;
        reply.reason = reason;
        reply.seconds = secondsSince(worker.started);
        batch.answer(*worker.job, std::move(reply));
    }
    start(worker, task);
}

bool BuildPool::tryAgain(Batch &batch, Worker &worker) {
    if (worker.pending) {
        if (++m_startsKilled > kTriesAgain) return false;
        start(worker, *worker.pending);
        return true;
    }
    if (!worker.job) { // it had nothing to do
        start(worker, *worker.known.begin());
        return true;
    }
    batch.killed.resize(batch.requests.size());
    if (++batch.killed[*worker.job] > kTriesAgain) return false;
    batch.again.push_back(*worker.job);
    --batch.open;
    start(worker, batch.requests[*worker.job].task);
    return true;
}

void BuildPool::takeMessage(Batch &batch, Worker &worker, const std::string &message) {
    if (worker.pending) {
        const ReadyMessage ready = decodeReady(message);
        if (ready.problem == kOtherBuild) throw Error(m_path, 0, 0, ready.problem);
        if (!ready.problem.empty())
            throw Error(m_path, 0, 0, fmt::format("the build worker cannot take the task: {}", ready.problem));
        m_startsKilled = 0;
        worker.known.insert(*worker.pending);
        worker.pending.reset();
    } else if (worker.job) {
        batch.answer(*worker.job, decodeBuildReply(message));
        worker.job.reset();
    }
}

void BuildPool::take(Batch &batch, Worker &worker) {
    std::string message;
    const Channel::Read read = worker.child->channel().readAvailable(message);
    if (read == Channel::Read::Closed) {
        const std::string ending = worker.child->howItEnded();
        const bool outside = wasKilledOutside(worker.child->status(), worker.memoryKills);
        if (outside && tryAgain(batch, worker)) return;
        if (worker.pending)
            throw Error(m_path, 0, 0,
                        fmt::format("the build worker {} before it was ready{}", ending, worker.child->startAdvice()));
        if (outside) {
            lose(batch, worker, TrialError::Unknown, killedOutsideText("the compiler", ending));
            return;
        }
        const int status = worker.child->status();
        const bool outOfMemory = WIFEXITED(status) && WEXITSTATUS(status) == kOutOfMemoryExit;
        lose(batch, worker, TrialError::CompileHost,
             outOfMemory ? fmt::format("out of memory: the compiler asked for more than the {} MiB allowed",
                                       m_tasks.front().memoryLimitMiB)
                         : fmt::format("the compiler {}", ending));
    } else if (read == Channel::Read::Message) {
        takeMessage(batch, worker, message);
    } else if (worker.job && secondsSince(worker.started) > m_timeout) {
        lose(batch, worker, TrialError::BuildTimeout,
             fmt::format("no end of the compilation within {:g} s", m_timeout));
    } else if (worker.pending && secondsSince(worker.started) > kStartTimeout) {
        throw Error(m_path, 0, 0, fmt::format("the build worker was not ready within {:g} s", kStartTimeout));
    }
}

std::vector<std::optional<BuildReply>> BuildPool::build(const std::vector<BuildRequest> &requests,
                                                        const MeasureWatch &watch) {
    Batch batch{requests, watch, std::vector<std::optional<BuildReply>>(requests.size())};
    auto use = MachineUse::begin(MachineUse::Kind::Work, watch.cancel);
    if (!use) return std::move(batch.replies);
    while (batch.next < requests.size() || !batch.again.empty() || batch.open > 0) {
        if (watch.cancelled()) {
            for (Worker &worker : m_workers) {
                if (worker.job) start(worker, requests[*worker.job].task);
            }
            break;
        }
        // Somebody wants to time a kernel: what is under way comes to its end, and then it is his turn. Nor does a
        // pause keep others waiting.
        if (batch.open == 0) {
            if (watch.paused()) use->rest();
            if (!watch.paused()) use->giveWay();
        }
        const bool handsOut = batch.open == 0 || !use->wanted();
        std::vector<pollfd> events;
        for (Worker &worker : m_workers) {
            if (handsOut) handOut(batch, worker);
            events.push_back({worker.child->channel().fd(), POLLIN, 0});
        }
        if (::poll(events.data(), events.size(), kPollMilliseconds) < 0 && errno != EINTR)
            throw Error("waiting for the build workers failed");
        for (Worker &worker : m_workers) take(batch, worker);
    }
    return std::move(batch.replies);
}

} // namespace loopscope
