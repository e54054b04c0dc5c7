#include "measure/run_client.h"

#include "base/isolate/killed_outside.h"
#include "base/outcome.h"
#include "measure/answer/reference_data.h"
#include "measure/measurer.h"
#include "measure/timing/machine_use.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <unistd.h>

namespace loopscope {

namespace {

using Wait = ChildProcess::Wait;

constexpr double kRunnerGrace = 10; // seconds after the run's own timeout until the runner itself is given up

} // namespace

RunClient::RunClient(SpawnThread &spawner, std::string path, double referenceTimeout)
    : m_spawner(spawner), m_path(std::move(path)), m_referenceTimeout(referenceTimeout) {}

RunClient::~RunClient() {
    m_runner.reset();
    for (auto &[number, task] : m_tasks) {
        task.reference.reset();
        if (task.dataFd >= 0) ::close(task.dataFd);
    }
}

void RunClient::add(SetupMessage setup, int dataFd) {
    TaskData &task = m_tasks[setup.task];
    task.setup = std::move(setup);
    task.dataFd = dataFd;
    task.haveReference = dataFd >= 0;
}

/// It is work like any other, and may take minutes: it begins when it has its turn, stands still while somebody's
/// kernel is timed, and only the time for which it computes counts.
Wait RunClient::waitForReference(TaskData &task, std::string &message, const std::atomic<bool> *cancel) {
    using Clock = std::chrono::steady_clock;
    auto use = MachineUse::begin(MachineUse::Kind::Work, cancel);
    if (!use) return Wait::Cancelled;
    if (task.reference) {
        task.reference->goOn();
    } else {
        task.referenceSeconds = 0;
        if (task.dataFd < 0) task.dataFd = makeAnonymousFile();
        task.reference = std::make_unique<ChildProcess>(m_spawner, m_path, "reference", task.dataFd);
        (void)task.reference->channel().send(encode(task.setup)); // that it died is noticed below
    }
    constexpr double kSlice = 0.1;
    while (true) {
        const Clock::time_point start = Clock::now();
        const double left = m_referenceTimeout - task.referenceSeconds;
        const Wait wait = task.reference->waitForMessage(message, std::min(left, kSlice), cancel);
        task.referenceSeconds += std::chrono::duration<double>(Clock::now() - start).count();
        if (wait == Wait::Cancelled) task.reference->holdStill();
        if (wait != Wait::TimedOut || left <= kSlice) return wait;
        if (!use->wanted()) continue;
        task.reference->holdStill();
        if (!use->giveWay()) return Wait::Cancelled;
        task.reference->goOn();
    }
}

bool RunClient::haveReference(TaskData &task, const std::atomic<bool> *cancel) {
    if (task.haveReference) return true;
    std::string message;
    const Wait wait = waitForReference(task, message, cancel);
    if (wait == Wait::Cancelled) return false;
    std::string problem;
    if (wait == Wait::Message) {
        problem = decodeReady(message).problem;
    } else if (wait == Wait::Ended) {
        problem = "its process " + task.reference->howItEnded();
    }
    task.reference.reset();
    task.haveReference = wait == Wait::Message && problem.empty();
    if (task.haveReference) return true;
    ::close(task.dataFd);
    task.dataFd = -1;
    if (wait == Wait::TimedOut)
        throw ReferenceTimeout(fmt::format("the reference answer, which every kernel is checked against, was not "
                                           "computed within its limit of {:g} s; allow more time, or choose smaller "
                                           "extents",
                                           m_referenceTimeout));
    if (problem == kOtherBuild) throw Error(m_path, 0, 0, problem);
    throw Error(fmt::format("the reference answer cannot be computed: {}", problem));
}

void RunClient::loseRunner() {
    m_runner.reset(); // its kernel process dies with it
    for (auto &[number, task] : m_tasks) task.known = false;
}

bool RunClient::haveRunner(TaskData &task, const std::atomic<bool> *cancel) {
    if (m_runner && task.known) return true;
    const bool started = !m_runner;
    if (started) m_runner = std::make_unique<ChildProcess>(m_spawner, m_path, "run");
    std::string message;
    Wait wait = Wait::Ended;
    if (m_runner->channel().send(encode(task.setup), task.dataFd))
        wait = m_runner->waitForMessage(message, kStartTimeout, cancel);
    if (wait == Wait::Message) {
        const ReadyMessage ready = decodeReady(message);
        if (!ready.problem.empty()) {
            loseRunner();
            if (ready.problem == kOtherBuild) throw Error(m_path, 0, 0, ready.problem);
            throw Error(m_path, 0, 0, fmt::format("the runner cannot take the task: {}", ready.problem));
        }
        m_note = ready.note;
        task.known = true;
        return true;
    }
    if (wait == Wait::Ended && !started) { // while it had nothing to do
        loseRunner();
        return haveRunner(task, cancel);
    }
    std::string problem = fmt::format("the runner was not ready within {:g} s", kStartTimeout);
    if (wait == Wait::Ended) {
        const std::string ending = m_runner->howItEnded();
        problem = fmt::format("the runner {} before it was ready{}", ending, m_runner->startAdvice());
    }
    loseRunner();
    if (wait == Wait::Cancelled) return false;
    throw Error(m_path, 0, 0, problem);
}

std::optional<RunReply> RunClient::run(const RunRequest &request, const std::atomic<bool> *cancel, int answersFd) {
    std::optional<RunReply> reply = runOnce(request, cancel, answersFd);
    for (int again = 0; again < kTriesAgain && reply && reply->killedOutside; ++again)
        reply = runOnce(request, cancel, answersFd);
    return reply;
}

std::optional<RunReply> RunClient::runOnce(const RunRequest &request, const std::atomic<bool> *cancel, int answersFd) {
    if (!prepare(request.task, cancel)) return std::nullopt;
    // What is not timed does not need the machine alone.
    const bool timed = m_tasks.at(request.task).setup.runner == RunnerKind::Machine;
    const auto use = MachineUse::begin(timed ? MachineUse::Kind::Timing : MachineUse::Kind::Work, cancel);
    if (!use) return std::nullopt;
    const std::optional<uint64_t> kills = memoryKills();
    std::string message;
    Wait wait = Wait::Ended;
    if (m_runner->channel().send(encode(request), answersFd))
        wait = m_runner->waitForMessage(message, request.timeout + kRunnerGrace, cancel);
    if (wait == Wait::Message) return decodeRunReply(message);
    RunReply reply;
    if (wait == Wait::TimedOut) {
        reply.error = TrialError::RunTimeout;
        reply.reason =
            fmt::format("neither kernel nor runner came to an end within {:g} s", request.timeout + kRunnerGrace);
    } else if (wait == Wait::Ended) {
        const std::string ending = m_runner->howItEnded();
        reply.killedOutside = wasKilledOutside(m_runner->status(), kills);
        reply.error = reply.killedOutside ? TrialError::Unknown : TrialError::RuntimeDevice;
        reply.reason = reply.killedOutside ? killedOutsideText("the runner", ending) : "the runner itself " + ending;
    }
    loseRunner();
    if (wait == Wait::Cancelled) return std::nullopt;
    return reply;
}

} // namespace loopscope
