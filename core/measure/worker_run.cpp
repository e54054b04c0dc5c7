#include "measure/worker.h"

#include "base/isolate/channel.h"
#include "base/isolate/child_process.h"
#include "base/isolate/killed_outside.h"
#include "base/isolate/process_copy.h"
#include "base/isolate/sandbox.h"
#include "base/isolate/system_calls.h"
#include "base/outcome.h"
#include "measure/executor_check.h"
#include "measure/kernel_run.h"
#include "measure/messages.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <poll.h>
#include <span>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace loopscope {

namespace {

using Clock = std::chrono::steady_clock;

std::string phaseText(RunPhase phase) {
    switch (phase) {
    case RunPhase::Starting:
    case RunPhase::Loading:
        return "while the kernel was loaded";
    case RunPhase::Checking:
        return "in the run that checks the answer";
    case RunPhase::Timing:
    case RunPhase::Finished:
        break;
    }
    return "while it was timed";
}

std::string exitText(int code, const SetupMessage &setup) {
    if (code == kOutOfMemoryExit)
        return fmt::format("out of memory: the kernel asked for more than the {} MiB allowed", setup.memoryLimitMiB);
    return fmt::format("the kernel ended its process with exit code {} instead of returning", code);
}

std::string signalSentence(const RunReport &report, const std::vector<KernelArg> &args, int signal) {
    if (signal == SIGKILL) return "the system killed it, most likely because memory ran out";
    std::string text = signalText(signal);
    if (report.signal != signal) return text;
    const int guard = report.guard;
    if (guard >= 0 && static_cast<size_t>(guard) < 2 * args.size()) {
        const KernelArg &arg = args[static_cast<size_t>(guard) / 2];
        return fmt::format("{}: it went {} `{}`", text, guard % 2 == 0 ? "before the start of" : "past the end of",
                           arg.name);
    }
    if (signal == SIGSYS)
        text = fmt::format("{}: it asked the system for `{}`", text, systemCallName(static_cast<int>(report.address)));
    if (signal == SIGSEGV || signal == SIGBUS) text += fmt::format(" at address {:#x}", report.address);
    return text;
}

/// What runs in the fork. Never returns.
[[noreturn]] void becomeKernelProcess(pid_t runner, int stderrFd, const RunRequest &request, const SetupMessage &setup,
                                      const ReferenceView &reference, std::span<std::byte> answers, RunReport &report) {
    ::setpgid(0, 0);
    restrictProcess(runner);
    ::dup2(stderrFd, STDERR_FILENO);
    ::close(kWorkerChannelFd);
    // The first to go when the machine, not this limit, runs out of memory.
    if (const int score = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); score >= 0) {
        if (::write(score, "1000", 4) < 0) ::close(score);
    }
    reportSignals(report);
    try {
        if (setup.runner == RunnerKind::Executor)
            runOnExecutor(request, setup, reference, report);
        else
            runKernels(request, setup, reference, report, makeRunner, answers);
        report.phase = RunPhase::Finished;
    } catch (const std::bad_alloc &) {
        ::_exit(kOutOfMemoryExit);
    } catch (const std::exception &problem) {
        report.fail(TrialError::Unknown, problem.what());
        report.phase = RunPhase::Finished;
    }
    ::_exit(0);
}

class RunServer {
  public:
    explicit RunServer(Channel &channel) : m_channel(channel) {}

    /// `dataFd`: inputs and reference of the task; closed.
    void add(const SetupMessage &setup, int dataFd) {
        const OwnedFile file(dataFd);
        m_tasks.try_emplace(setup.task, setup, dataFd);
    }

    /// Nothing when the measurer has gone. `answersFd`: for the outputs, where the request asks for them; closed.
    std::optional<RunReply> run(const RunRequest &request, int answersFd) {
        const TaskData &task = m_tasks.at(request.task);
        const AnswerMemory answers(answersFd);
        const Clock::time_point start = Clock::now();
        RunReport *report = RunReport::make(request.kernels.size());
        const auto [stderrRead, stderrWrite] = makeBoundedPipe();
        const pid_t self = ::getpid();
        const std::optional<uint64_t> kills = memoryKills();
        const pid_t child = ::fork();
        if (child == 0) {
            std::erase_if(m_tasks, [&](const auto &entry) { return entry.first != request.task; }); // not its business
            becomeKernelProcess(self, stderrWrite, request, task.setup, task.reference, answers.bytes, *report);
        }
        ::close(stderrWrite);

        RunReply reply;
        if (child < 0) {
            reply.error = TrialError::Unknown;
            reply.reason = fmt::format("no process for the kernel could be made: {}", std::strerror(errno));
        } else {
            const auto ending = waitFor(child, request.timeout);
            const std::string said = lastLineOf(stderrRead);
            reply = judge(request, task.setup, *report, ending.first, ending.second,
                          !ending.second && wasKilledOutside(ending.first, kills), said);
        }
        ::close(stderrRead);
        RunReport::release(report, request.kernels.size());
        reply.seconds = std::chrono::duration<double>(Clock::now() - start).count();
        if (m_measurerGone) return std::nullopt;
        return reply;
    }

  private:
    struct TaskData {
        TaskData(const SetupMessage &setup, int dataFd) : setup(setup), reference(dataFd) {}
        SetupMessage setup;
        ReferenceView reference;
    };
    struct OwnedFile {
        explicit OwnedFile(int fd) : fd(fd) {}
        ~OwnedFile() {
            if (fd >= 0) ::close(fd);
        }
        OwnedFile(const OwnedFile &) = delete;
        OwnedFile &operator=(const OwnedFile &) = delete;
        int fd;
    };
    /// A file of its sender's, which sees what is written here. -1: none.
    struct AnswerMemory {
        explicit AnswerMemory(int fd) : file(fd) {
            struct stat info{};
            if (fd < 0 || ::fstat(fd, &info) != 0 || info.st_size == 0) return;
            const auto size = static_cast<size_t>(info.st_size);
            void *mapped = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
            if (mapped == MAP_FAILED)
                throw Error(fmt::format("the memory for outputs cannot be mapped: {}", std::strerror(errno)));
            bytes = {static_cast<std::byte *>(mapped), size};
        }
        ~AnswerMemory() {
            if (!bytes.empty()) ::munmap(bytes.data(), bytes.size());
        }
        AnswerMemory(const AnswerMemory &) = delete;
        AnswerMemory &operator=(const AnswerMemory &) = delete;
        OwnedFile file;
        std::span<std::byte> bytes;
    };
    enum class Wait : uint8_t { Ended, TimedOut, MeasurerGone };

    Wait watch(pid_t child, double timeout) {
        const int fd =
            static_cast<int>(::syscall(SYS_pidfd_open, child, 0)) /* glibc 2.36 declares its wrapper for C only */;
        if (fd < 0) throw Error(fmt::format("the kernel's process cannot be watched: {}", std::strerror(errno)));
        const Clock::time_point deadline =
            Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout));
        pollfd events[2] = {{fd, POLLIN, 0}, {m_channel.fd(), POLLRDHUP, 0}};
        int ready = -1;
        while (ready < 0) {
            const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
            ready = ::poll(events, 2, static_cast<int>(std::max<int64_t>(left + 1, 0)));
            if (ready < 0 && errno != EINTR) break;
        }
        ::close(fd);
        if (events[0].revents != 0) return Wait::Ended;
        return ready == 0 ? Wait::TimedOut : Wait::MeasurerGone;
    }

    /// Wait status, and whether the time ran out. Nothing of the kernel's process group is left afterwards.
    std::pair<int, bool> waitFor(pid_t child, double timeout) {
        const Wait wait = watch(child, timeout);
        m_measurerGone = wait == Wait::MeasurerGone;
        int status = 0;
        if (wait != Wait::Ended) ::kill(child, SIGKILL);
        while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
        ::kill(-child, SIGKILL);
        return {status, wait == Wait::TimedOut};
    }

    static RunReply judge(const RunRequest &request, const SetupMessage &setup, const RunReport &report, int status,
                          bool timedOut, bool outside, const std::string &said) {
        RunReply reply;
        reply.maxError = report.maxError;
        const bool finished = report.phase == RunPhase::Finished && WIFEXITED(status) && WEXITSTATUS(status) == 0;
        const int32_t last = report.kernel;
        const size_t at = std::min(static_cast<size_t>(std::max(last, 0)), request.kernels.size() - 1);
        if (timedOut) {
            reply.error = TrialError::RunTimeout;
            reply.reason = fmt::format("no end within {:g} s {}", request.timeout, phaseText(report.phase));
        } else if (outside) {
            reply.killedOutside = true;
            reply.error = TrialError::Unknown;
            reply.reason = killedOutsideText("the kernel's process", endingText(status));
        } else if (!finished) {
            reply.error = report.phase == RunPhase::Loading ? TrialError::CompileDevice : TrialError::RuntimeDevice;
            reply.reason = WIFSIGNALED(status)
                               ? signalSentence(report, request.kernels[at].launch.args, WTERMSIG(status))
                               : exitText(WEXITSTATUS(status), setup);
            reply.reason += " " + phaseText(report.phase);
            if (!said.empty()) reply.reason += ": " + said;
        } else if (report.error != TrialError::None) {
            reply.error = std::min(report.error, TrialError::Unknown);
            reply.reason.assign(report.reason, ::strnlen(report.reason, RunReport::kReasonBytes));
        } else {
            // What the executor ran; the others have nothing to say when all went well.
            reply.reason.assign(report.reason, ::strnlen(report.reason, RunReport::kReasonBytes));
            reply.unstable = report.unstable != 0;
            reply.disturbedSeconds = report.disturbedSeconds;
            for (size_t i = 0; i < request.kernels.size(); ++i) {
                const auto samples = report.samples(i);
                reply.samples.emplace_back(samples.begin(), samples.end());
                reply.least.push_back(report.least(i));
            }
        }
        if (reply.error != TrialError::None) reply.failedKernel = static_cast<int>(at);
        return reply;
    }

    Channel &m_channel;
    std::map<int, TaskData> m_tasks;
    bool m_measurerGone = false;
};

} // namespace

// This process never runs a kernel and never starts a thread: a fork of it is as good as a new process, and its inputs
// and libraries are already in place.
int serveRuns(Channel &channel) {
    RunServer server(channel);
    const std::string note = whyNoFilter();
    int dataFd = -1;
    while (const auto bytes = channel.receive(dataFd)) {
        if (kindOf(*bytes) == MessageKind::Setup) {
            ReadyMessage ready;
            ready.note = note;
            try {
                server.add(decodeSetup(*bytes), dataFd);
            } catch (const std::exception &problem) {
                ready.problem = problem.what();
            }
            if (!channel.send(encode(ready))) return 0;
            continue;
        }
        const auto reply = server.run(decodeRunRequest(*bytes), dataFd);
        if (!reply || !channel.send(encode(*reply))) return 0;
    }
    return 0;
}

} // namespace loopscope
