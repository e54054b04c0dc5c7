#include "base/isolate/piped_child.h"

#include "base/isolate/descriptor_limit.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace loopscope {

namespace {

struct Pipe {
    std::array<int, 2> ends{-1, -1};
    Pipe() {
        if (::pipe2(ends.data(), O_CLOEXEC) != 0)
            throw Error(fmt::format("a pipe cannot be made: {}", openingProblem(errno)));
    }
    ~Pipe() {
        for (const int end : ends)
            if (end >= 0) ::close(end);
    }
    Pipe(const Pipe &) = delete;
    Pipe &operator=(const Pipe &) = delete;
    int release(size_t end) { return std::exchange(ends[end], -1); }
};

void doNotBlock(int fd) { ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK); }

/// Between fork and exec: only calls that are safe in a signal handler.
[[noreturn]] void become(pid_t parent, char *const *words, int in, int out, int errors, int failure, int atDeath) {
    ::prctl(PR_SET_PDEATHSIG, atDeath);
    if (::getppid() != parent) ::_exit(1);
    ::setpgid(0, 0);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
    in = ::fcntl(in, F_DUPFD_CLOEXEC, 16);
    out = ::fcntl(out, F_DUPFD_CLOEXEC, 16);
    errors = ::fcntl(errors, F_DUPFD_CLOEXEC, 16);
    failure = ::fcntl(failure, F_DUPFD_CLOEXEC, 16);
    ::dup2(in, STDIN_FILENO);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(errors, STDERR_FILENO);
    ::dup2(failure, 3);
    ::fcntl(3, F_SETFD, FD_CLOEXEC);
    ::close_range(4, ~0U, 0);
    ::execvp(words[0], words);
    const int problem = errno;
    if (::write(3, &problem, sizeof problem) < 0) ::_exit(126);
    ::_exit(127);
}

} // namespace

Outcome<std::unique_ptr<PipedChild>> PipedChild::start(SpawnThread &spawner, const std::vector<std::string> &words,
                                                       int atDeath) {
    requireDescriptors();
    std::vector<char *> arguments;
    for (const std::string &word : words) arguments.push_back(const_cast<char *>(word.c_str()));
    arguments.push_back(nullptr);
    Pipe in, out, errors, failure;
    const pid_t parent = ::getpid();
    pid_t pid = -1;
    int problem = 0;
    spawner.run([&] {
        pid = ::fork();
        if (pid == 0)
            become(parent, arguments.data(), in.ends[0], out.ends[1], errors.ends[1], failure.ends[1], atDeath);
        if (pid < 0) problem = errno;
    });
    if (pid > 0) {
        ::close(failure.release(1));
        if (::read(failure.ends[0], &problem, sizeof problem) != static_cast<ssize_t>(sizeof problem)) problem = 0;
    }
    if (pid > 0 && problem != 0) ::waitpid(pid, nullptr, 0);
    if (problem != 0)
        return Refusal{fmt::format("{} cannot be started: {}", words.front(),
                                   problem == ENOENT ? "there is no such program" : openingProblem(problem))};
    std::unique_ptr<PipedChild> child(new PipedChild);
    child->m_pid = pid;
    child->m_input = in.release(1);
    child->m_output = out.release(0);
    child->m_errors = errors.release(0);
    doNotBlock(child->m_output);
    doNotBlock(child->m_errors);
    return child;
}

PipedChild::~PipedChild() {
    closeInput();
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(patience);
    while (!ended() && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (!ended()) {
        signal(SIGKILL);
        ::waitpid(m_pid, &m_status, 0);
    }
    ::close(m_output);
    ::close(m_errors);
}

void PipedChild::closeInput() {
    if (m_input >= 0) ::close(std::exchange(m_input, -1));
}

void PipedChild::signal(int number) const {
    if (!m_reaped) ::kill(-m_pid, number);
}

bool PipedChild::ended() {
    if (!m_reaped && ::waitpid(m_pid, &m_status, WNOHANG) == m_pid) m_reaped = true;
    return m_reaped;
}

std::vector<std::string> PipedChild::complaints() {
    char block[4096];
    constexpr size_t kLongestLine = 4096;
    for (int blocks = 0; blocks < 64; ++blocks) {
        const ssize_t n = ::read(m_errors, block, sizeof block);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        m_rest.append(block, static_cast<size_t>(n));
    }
    if (m_rest.size() > kLongestLine && m_rest.find('\n') == std::string::npos) m_rest += '\n';
    if (ended() && !m_rest.empty()) m_rest += '\n';
    std::vector<std::string> lines;
    for (size_t end = m_rest.find('\n'); end != std::string::npos; end = m_rest.find('\n')) {
        std::string line;
        for (const char c : m_rest.substr(0, std::min(end, kLongestLine)))
            if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) line += c;
        m_rest.erase(0, end + 1);
        if (line.empty()) continue;
        m_lastLine = line;
        lines.push_back(std::move(line));
    }
    return lines;
}

std::string PipedChild::howItEnded() {
    (void)complaints();
    return endingText(m_status) + (m_lastLine.empty() ? "" : ": " + m_lastLine);
}

} // namespace loopscope
