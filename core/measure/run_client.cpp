#include "measure/run_client.h"

#include "answer/reference_data.h"
#include "measure/measurer.h"
#include "outcome.h"
#include "timing/machine_use.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <unistd.h>

namespace loopscope {

namespace {

using Wait = ChildProcess::Wait;

constexpr double kRunnerGrace = 10; // seconds after the run's own timeout until the runner itself is given up

} // namespace

RunClient::RunClient(SpawnThread &spawner, std::string path, SetupMessage setup, double referenceTimeout)
    : m_spawner(spawner), m_path(std::move(path)), m_setup(std::move(setup)), m_referenceTimeout(referenceTimeout) {}

RunClient::~RunClient() {
    m_runner.reset();
    m_reference.reset();
    if (m_dataFd >= 0) ::close(m_dataFd);
}

/// It is work like any other, and may take minutes: it begins when it has its turn, stands still while somebody's
/// kernel is timed, and only the time for which it computes counts.
Wait RunClient::waitForReference(std::string &message, const std::atomic<bool> *cancel) {
    using Clock = std::chrono::steady_clock;
    auto use = MachineUse::begin(MachineUse::Kind::Work, cancel);
    if (!use) return Wait::Cancelled;
    if (m_reference) {
        m_reference->goOn();
    } else {
        m_referenceSeconds = 0;
        if (m_dataFd < 0) m_dataFd = makeAnonymousFile();
        m_reference = std::make_unique<ChildProcess>(m_spawner, m_path, "reference", m_dataFd);
        (void)m_reference->channel().send(encode(m_setup)); // that it died is noticed below
    }
    constexpr double kSlice = 0.1;
    while (true) {
        const Clock::time_point start = Clock::now();
        const double left = m_referenceTimeout - m_referenceSeconds;
        const Wait wait = m_reference->waitForMessage(message, std::min(left, kSlice), cancel);
        m_referenceSeconds += std::chrono::duration<double>(Clock::now() - start).count();
        if (wait == Wait::Cancelled) m_reference->holdStill();
        if (wait != Wait::TimedOut || left <= kSlice) return wait;
        if (!use->wanted()) continue;
        m_reference->holdStill();
        if (!use->giveWay()) return Wait::Cancelled;
        m_reference->goOn();
    }
}

bool RunClient::haveReference(const std::atomic<bool> *cancel) {
    if (m_haveReference) return true;
    std::string message;
    const Wait wait = waitForReference(message, cancel);
    if (wait == Wait::Cancelled) return false;
    std::string problem;
    if (wait == Wait::Message) {
        problem = decodeReady(message).problem;
    } else if (wait == Wait::Ended) {
        problem = "its process " + m_reference->howItEnded();
    }
    m_reference.reset();
    m_haveReference = wait == Wait::Message && problem.empty();
    if (m_haveReference) return true;
    ::close(m_dataFd);
    m_dataFd = -1;
    if (wait == Wait::TimedOut)
        throw ReferenceTimeout(fmt::format("the reference answer, which every kernel is checked against, was not "
                                           "computed within its limit of {:g} s; allow more time, or choose smaller "
                                           "extents",
                                           m_referenceTimeout));
    throw Error(fmt::format("the reference answer cannot be computed: {}", problem));
}

bool RunClient::haveRunner(const std::atomic<bool> *cancel) {
    if (m_runner) return true;
    auto runner = std::make_unique<ChildProcess>(m_spawner, m_path, "run", m_dataFd);
    std::string message;
    Wait wait = Wait::Ended;
    if (runner->channel().send(encode(m_setup))) wait = runner->waitForMessage(message, kStartTimeout, cancel);
    if (wait == Wait::Cancelled) return false;
    if (wait == Wait::TimedOut)
        throw Error(m_path, 0, 0, fmt::format("the runner was not ready within {:g} s", kStartTimeout));
    if (wait != Wait::Message) {
        const std::string ending = runner->howItEnded();
        throw Error(m_path, 0, 0, fmt::format("the runner {} before it was ready{}", ending, runner->startAdvice()));
    }
    const ReadyMessage ready = decodeReady(message);
    if (!ready.problem.empty())
        throw Error(m_path, 0, 0, fmt::format("the runner cannot take the task: {}", ready.problem));
    m_note = ready.note;
    m_runner = std::move(runner);
    return true;
}

std::optional<RunReply> RunClient::run(const RunRequest &request, const std::atomic<bool> *cancel) {
    if (!haveReference(cancel) || !haveRunner(cancel)) return std::nullopt;
    const auto use = MachineUse::begin(MachineUse::Kind::Timing, cancel);
    if (!use) return std::nullopt;
    std::string message;
    Wait wait = Wait::Ended;
    if (m_runner->channel().send(encode(request)))
        wait = m_runner->waitForMessage(message, request.timeout + kRunnerGrace, cancel);
    if (wait == Wait::Message) return decodeRunReply(message);
    RunReply reply;
    if (wait == Wait::TimedOut) {
        reply.error = TrialError::RunTimeout;
        reply.reason =
            fmt::format("neither kernel nor runner came to an end within {:g} s", request.timeout + kRunnerGrace);
    } else if (wait == Wait::Ended) {
        reply.error = TrialError::RuntimeDevice;
        reply.reason = "the runner itself " + m_runner->howItEnded();
    }
    m_runner.reset(); // its kernel process dies with it
    if (wait == Wait::Cancelled) return std::nullopt;
    return reply;
}

} // namespace loopscope
