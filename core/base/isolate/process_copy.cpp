#include "base/isolate/process_copy.h"

#include "base/isolate/channel.h"
#include "base/isolate/child_process.h"
#include "base/isolate/descriptor_limit.h"
#include "base/isolate/sandbox.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <fmt/format.h>
#include <new>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace loopscope {

namespace {

constexpr int kAnswerChannel = 3;

/// Of the copy alone: the call that was refused, for whoever waits. Written by a signal handler.
struct RefusedCall {
    volatile sig_atomic_t number = -1;
};
RefusedCall *g_refused = nullptr;

void noteRefusedCall(int signal, siginfo_t *info, void *) {
    if (g_refused != nullptr) g_refused->number = info->si_syscall;
    ::signal(signal, SIG_DFL);
    ::raise(signal); // returning would go on behind the call
}

/// The first byte of an answer says what it is.
enum class AnswerKind : char { Result = 'r', Refusal = 'x' };

/// Through write, which is all that a confined process may do with a socket.
bool sendAnswer(AnswerKind kind, std::string_view text) {
    const uint64_t length = text.size() + 1;
    std::string head(reinterpret_cast<const char *>(&length), sizeof length);
    head += static_cast<char>(kind);
    for (std::string_view rest : {std::string_view(head), text})
        while (!rest.empty()) {
            const ssize_t n = ::write(kAnswerChannel, rest.data(), rest.size());
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) return false;
            rest.remove_prefix(static_cast<size_t>(n));
        }
    return true;
}

void becomeCopy(pid_t parent, int channelFd, int errorFd) {
    ::setpgid(0, 0);
    restrictProcess(parent);
    for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
    ::signal(SIGPIPE, SIG_IGN); // a write tells the same
    channelFd = ::fcntl(channelFd, F_DUPFD_CLOEXEC, 16);
    errorFd = ::fcntl(errorFd, F_DUPFD_CLOEXEC, 16);
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    ::dup2(null, STDIN_FILENO);
    ::dup2(null, STDOUT_FILENO);
    ::dup2(errorFd, STDERR_FILENO);
    ::dup2(channelFd, kAnswerChannel);
    ::close_range(kAnswerChannel + 1, ~0U, 0);
}

[[noreturn]] void workAndEnd(const CopyRequest &request) {
    AnswerKind kind = AnswerKind::Result;
    std::string answer;
    // A thread that never ran a parallel loop: OpenMP's threads of the one before the copy are not here.
    std::thread([&] {
        try {
            if (request.confined) {
                forbidFileWrites();
                // A superuser's files may have been open before.
                if (request.prepare) request.prepare();
                struct sigaction action{};
                action.sa_sigaction = noteRefusedCall;
                action.sa_flags = SA_SIGINFO;
                ::sigaction(SIGSYS, &action, nullptr);
                (void)restrictSystemCalls(request.calls); // where there is none it is isolated otherwise
            } else if (request.prepare) {
                request.prepare();
            }
            answer = request.work();
        } catch (const std::bad_alloc &) {
            kind = AnswerKind::Refusal;
            answer = "there is not enough memory";
        } catch (const std::exception &problem) {
            kind = AnswerKind::Refusal;
            answer = problem.what();
        }
    }).join();
    ::_exit(sendAnswer(kind, answer) ? 0 : 1);
}

/// Once its channel is closed: the wait status.
int reap(pid_t child) {
    int status = 0;
    for (int i = 0; i < 100; ++i) {
        const pid_t ended = ::waitpid(child, &status, WNOHANG);
        if (ended == child) return status;
        if (ended < 0 && errno != EINTR) return status;
        ::usleep(10'000);
    }
    ::kill(child, SIGKILL);
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

std::string endedText(int status, const RefusedCall &refused, const std::string &said) {
    std::string text = endingText(status);
    if (WIFEXITED(status) && WEXITSTATUS(status) == kOutOfMemoryExit) text += ", as there was not enough memory";
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS && refused.number >= 0)
        text += fmt::format(": it asked the system for `{}`", systemCallName(refused.number));
    return said.empty() ? text : text + ": " + said;
}

} // namespace

SharedMemory::SharedMemory(size_t bytes) : m_size(bytes) {
    if (bytes == 0) return;
    void *memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        throw Error(fmt::format("there is no memory for {} bytes of a network: {}", bytes, std::strerror(errno)));
    m_data = static_cast<std::byte *>(memory);
}

SharedMemory::~SharedMemory() {
    if (m_data != nullptr) ::munmap(m_data, m_size);
}

std::string whyNoFilter() {
    const pid_t child = ::fork();
    if (child == 0) {
        restrictProcess(0);
        ::_exit(restrictSystemCalls(SystemCallList::Kernel).empty() ? 0 : 1);
    }
    int status = 0;
    while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
    return "kernels run without a filter of system calls, as the system or a container refuses it (seccomp); they are "
           "isolated otherwise";
}

CopyEnd runInCopy(const CopyRequest &request) {
    requireDescriptors();
    int sockets[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
        throw Error(fmt::format("a socket pair cannot be made: {}", openingProblem(errno)));
    Channel channel(sockets[0]);
    const auto [errorRead, errorWrite] = makeBoundedPipe();
    const SharedMemory page(sizeof(RefusedCall));
    g_refused = new (page.data()) RefusedCall;
    const pid_t self = ::getpid();
    const pid_t child = ::fork();
    if (child == 0) {
        becomeCopy(self, sockets[1], errorWrite);
        workAndEnd(request);
    }
    const int problem = errno;
    ::close(sockets[1]);
    ::close(errorWrite);
    CopyEnd end;
    if (child < 0) {
        ::close(errorRead);
        throw Error(fmt::format("no process for the kernels could be made: {}", std::strerror(problem)));
    }
    ::setpgid(child, child); // so that the kill below finds its group
    std::string message;
    while (true) {
        pollfd event{channel.fd(), POLLIN, 0};
        ::poll(&event, 1, kPollMilliseconds);
        const Channel::Read read = channel.readAvailable(message);
        if (read == Channel::Read::Message && !message.empty()) {
            end.kind =
                message[0] == static_cast<char>(AnswerKind::Result) ? CopyEnd::Kind::Answer : CopyEnd::Kind::Refusal;
            end.text = message.substr(1);
            break;
        }
        if (read == Channel::Read::Closed) break;
        if (request.cancel != nullptr && *request.cancel) {
            end.kind = CopyEnd::Kind::Cancelled;
            break;
        }
        if (request.overdue) end.text = request.overdue();
        if (!end.text.empty()) {
            end.kind = CopyEnd::Kind::Overdue;
            break;
        }
    }
    if (end.kind != CopyEnd::Kind::Died) ::kill(child, SIGKILL); // its answer is here, or nobody waits for it
    const int status = reap(child);
    ::kill(-child, SIGKILL);
    if (end.kind == CopyEnd::Kind::Died)
        end.text = endedText(status, *reinterpret_cast<const RefusedCall *>(page.data()), lastLineOf(errorRead));
    ::close(errorRead);
    g_refused = nullptr;
    return end;
}

} // namespace loopscope
