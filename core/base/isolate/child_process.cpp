#include "base/isolate/child_process.h"

#include "base/isolate/descriptor_limit.h"
#include "base/isolate/sandbox.h"
#include "base/outcome.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <mutex>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace loopscope {

struct SpawnThread::Impl {
    std::mutex mutex;
    std::condition_variable wake;
    const std::function<void()> *work = nullptr;
    std::exception_ptr failure;
    bool quit = false;
    std::mutex oneAtATime;
    std::thread thread;

    void loop() {
        std::unique_lock lock(mutex);
        while (true) {
            wake.wait(lock, [this] { return quit || work != nullptr; });
            if (quit) return;
            try {
                (*work)();
            } catch (...) {
                failure = std::current_exception();
            }
            work = nullptr;
            wake.notify_all();
        }
    }
};

SpawnThread::SpawnThread() : m_impl(std::make_unique<Impl>()) {
    m_impl->thread = std::thread([impl = m_impl.get()] { impl->loop(); });
}

SpawnThread::~SpawnThread() {
    {
        const std::lock_guard lock(m_impl->mutex);
        m_impl->quit = true;
    }
    m_impl->wake.notify_all();
    m_impl->thread.join();
}

void SpawnThread::run(const std::function<void()> &work) {
    const std::lock_guard turn(m_impl->oneAtATime);
    std::unique_lock lock(m_impl->mutex);
    m_impl->work = &work;
    m_impl->wake.notify_all();
    m_impl->wake.wait(lock, [this] { return m_impl->work == nullptr; });
    if (m_impl->failure) std::rethrow_exception(std::exchange(m_impl->failure, nullptr));
}

std::pair<int, int> makeBoundedPipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        throw Error(fmt::format("a pipe cannot be made: {}", openingProblem(errno)));
    return {ends[0], ends[1]};
}

std::string lastLineOf(int readFd) {
    std::string text;
    char block[4096];
    // Bounded by the pipe itself, and here as well in case its writer is still at it.
    for (int blocks = 0; blocks < 64; ++blocks) {
        const ssize_t n = ::read(readFd, block, sizeof block);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        text.append(block, static_cast<size_t>(n));
    }
    std::string line;
    while (!text.empty() && line.empty()) {
        const size_t start = text.find_last_of('\n');
        for (const char c : text.substr(start == std::string::npos ? 0 : start + 1)) {
            if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f && line.size() < 400) line += c;
        }
        text.resize(start == std::string::npos ? 0 : start);
    }
    return line;
}

std::string signalText(int signal) {
    const char *description = ::sigdescr_np(signal);
    const char *name = ::sigabbrev_np(signal);
    std::string text = description != nullptr ? description : "unknown signal";
    if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] - 'A' + 'a');
    return fmt::format("{} (SIG{})", text, name != nullptr ? name : std::to_string(signal));
}

namespace {

constexpr const char *kWorkerVariable = "LOOPSCOPE_WORKER";

} // namespace

std::string workerProgram(const std::string &given) {
    if (!given.empty()) return given;
    if (const char *path = std::getenv(kWorkerVariable); path != nullptr && *path != '\0') return path;
    char self[4096];
    const ssize_t size = ::readlink("/proc/self/exe", self, sizeof self);
    const std::string program(self, static_cast<size_t>(std::max<ssize_t>(size, 0)));
    return program.substr(0, program.rfind('/') + 1) + "loopscope-worker";
}

std::string endingText(int status) {
    if (WIFSIGNALED(status)) {
        const std::string text = signalText(WTERMSIG(status));
        // "killed (SIGKILL)", "terminated (SIGTERM)" say what was done to it, the others what it did.
        const bool done = WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGTERM;
        return (done ? "was " : "was ended by ") + text;
    }
    return fmt::format("exited with code {}", WEXITSTATUS(status));
}

namespace {

/// Between fork and exec of a process with other threads: only calls that are safe in a signal handler.
[[noreturn]] void becomeWorker(pid_t parent, const char *path, const char *role, int channelFd, int dataFd,
                               int stderrFd, int failureFd) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1); // it died before the line above
    ::setpgid(0, 0);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
    // Out of the way of the numbers they go to.
    channelFd = ::fcntl(channelFd, F_DUPFD_CLOEXEC, 16);
    stderrFd = ::fcntl(stderrFd, F_DUPFD_CLOEXEC, 16);
    failureFd = ::fcntl(failureFd, F_DUPFD_CLOEXEC, 16);
    if (dataFd >= 0) dataFd = ::fcntl(dataFd, F_DUPFD_CLOEXEC, 16);
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    ::dup2(null, STDIN_FILENO);
    ::dup2(null, STDOUT_FILENO);
    ::dup2(stderrFd, STDERR_FILENO);
    ::dup2(channelFd, 3);
    ::close(4);
    if (dataFd >= 0) ::dup2(dataFd, 4);
    ::dup2(failureFd, 5);
    ::fcntl(5, F_SETFD, FD_CLOEXEC);
    ::close_range(6, ~0U, 0);
    char *const arguments[] = {const_cast<char *>(path), const_cast<char *>(role), nullptr};
    ::execv(path, arguments);
    const int problem = errno;
    if (::write(5, &problem, sizeof problem) < 0) ::_exit(126);
    ::_exit(127);
}

} // namespace

ChildProcess::ChildProcess(SpawnThread &spawner, const std::string &path, const std::string &role, int dataFd)
    : m_path(path) {
    requireDescriptors();
    int sockets[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
        throw Error(fmt::format("a socket pair cannot be made: {}", openingProblem(errno)));
    m_channel = Channel(sockets[0]);
    Channel theirs(sockets[1]);
    const auto [stderrRead, stderrWrite] = makeBoundedPipe();
    m_stderr = stderrRead;
    int failure[2];
    if (::pipe2(failure, O_CLOEXEC) != 0) {
        ::close(stderrRead);
        ::close(stderrWrite);
        throw Error(fmt::format("a pipe cannot be made: {}", openingProblem(errno)));
    }
    const pid_t parent = ::getpid();
    const int errorEnd = stderrWrite;
    int problem = 0;
    spawner.run([&, errorEnd] {
        m_pid = ::fork();
        if (m_pid == 0) becomeWorker(parent, path.c_str(), role.c_str(), theirs.fd(), dataFd, errorEnd, failure[1]);
        if (m_pid < 0) problem = errno;
    });
    ::close(stderrWrite);
    ::close(failure[1]);
    if (m_pid > 0) {
        // Ends at once with nothing when exec closed the other end.
        const ssize_t n = ::read(failure[0], &problem, sizeof problem);
        if (n != static_cast<ssize_t>(sizeof problem)) problem = 0;
    }
    ::close(failure[0]);
    if (problem != 0) {
        kill();
        ::close(m_stderr);
        throw Error(path, 0, 0, fmt::format("the worker program cannot be started: {}", std::strerror(problem)));
    }
}

ChildProcess::~ChildProcess() {
    kill();
    if (m_stderr >= 0) ::close(m_stderr);
}

void ChildProcess::holdStill() const {
    if (m_pid > 0) ::kill(-m_pid, SIGSTOP);
}

void ChildProcess::goOn() const {
    if (m_pid > 0) ::kill(-m_pid, SIGCONT);
}

void ChildProcess::kill() {
    if (m_pid <= 0) return;
    ::kill(-m_pid, SIGKILL);
    ::kill(m_pid, SIGKILL); // in case it has not reached setpgid yet
    reap();
}

void ChildProcess::reap() {
    while (m_pid > 0) {
        if (::waitpid(m_pid, &m_status, 0) == m_pid || errno != EINTR) m_pid = -1;
    }
}

ChildProcess::Wait ChildProcess::waitForMessage(std::string &message, double timeout, const std::atomic<bool> *cancel) {
    const auto start = std::chrono::steady_clock::now();
    while (true) {
        pollfd event{m_channel.fd(), POLLIN, 0};
        if (::poll(&event, 1, kPollMilliseconds) < 0 && errno != EINTR) return Wait::Ended;
        const Channel::Read read = m_channel.readAvailable(message);
        if (read == Channel::Read::Message) return Wait::Message;
        if (read == Channel::Read::Closed) return Wait::Ended;
        if (cancel != nullptr && cancel->load()) return Wait::Cancelled;
        if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > timeout)
            return Wait::TimedOut;
    }
}

std::string ChildProcess::howItEnded() {
    // Its channel is closed, so it is dead or dying; a moment later it is shot.
    for (int i = 0; i < 50 && m_pid > 0; ++i) {
        const pid_t ended = ::waitpid(m_pid, &m_status, WNOHANG);
        if (ended == m_pid || (ended < 0 && errno != EINTR)) {
            ::kill(-m_pid, SIGKILL); // what it may have started
            m_pid = -1;
            break;
        }
        ::usleep(10'000);
    }
    kill();
    const std::string said = lastLineOf(m_stderr);
    m_silent = said.empty();
    return endingText(m_status) + (m_silent ? "" : ": " + said);
}

std::string ChildProcess::startAdvice() const {
    const bool quit = WIFEXITED(m_status) && WEXITSTATUS(m_status) != kOutOfMemoryExit;
    const char *chosen = std::getenv(kWorkerVariable);
    if (quit && chosen != nullptr && m_path == chosen)
        return fmt::format("; {} names {}, which has to be the loopscope-worker of this version", kWorkerVariable,
                           m_path);
    return quit && m_silent ? fmt::format("; {} has to be the loopscope-worker of this version", m_path)
                            : std::string();
}

} // namespace loopscope
