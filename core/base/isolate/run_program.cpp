#include "base/isolate/run_program.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace loopscope {

namespace {

std::string temporaryPlace() {
    std::error_code none;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(none);
    if (!none) return folder.string();
    const char *asked = std::getenv("TMPDIR");
    return asked != nullptr ? asked : "/tmp";
}

/// 0, or the error.
int startProgram(const std::vector<std::string> &words, int output, pid_t &pid) {
    std::vector<char *> arguments;
    for (const std::string &word : words) arguments.push_back(const_cast<char *>(word.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP); // a group of its own, to be killed as one
    const int failed = ::posix_spawn(&pid, arguments[0], &actions, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

} // namespace

Outcome<ProgramOutput> runProgram(const std::vector<std::string> &words, const ProgramLimits &limits) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return Refusal{fmt::format("{} cannot be started: {}", words.front(), std::strerror(errno))};
    pid_t pid = -1;
    const int failed = startProgram(words, ends[1], pid);
    ::close(ends[1]);
    if (failed != 0) {
        ::close(ends[0]);
        return Refusal{fmt::format("{} cannot be started: {}", words.front(), std::strerror(failed))};
    }
    ProgramOutput result;
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(limits.timeout);
    bool inTime = true;
    std::vector<char> block(size_t{64} << 10);
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
        if (left <= 0) {
            inTime = false;
            break;
        }
        pollfd event{ends[0], POLLIN, 0};
        const int ready = ::poll(&event, 1, static_cast<int>(std::min<int64_t>(left, 1000)));
        if (ready < 0 && errno != EINTR) break;
        if (ready <= 0) continue;
        const ssize_t read = ::read(ends[0], block.data(), block.size());
        if (read < 0 && errno == EINTR) continue;
        if (read <= 0) break; // it ended, or closed what it prints to
        const size_t room = limits.maxBytes - std::min(limits.maxBytes, result.output.size());
        result.output.append(block.data(), std::min(static_cast<size_t>(read), room));
    }
    ::close(ends[0]);
    if (!inTime) ::kill(-pid, SIGKILL);
    while (::waitpid(pid, &result.status, 0) < 0 && errno == EINTR) {
    }
    if (!inTime) return Refusal{fmt::format("{} came to no end within {:g} s", words.front(), limits.timeout)};
    return result;
}

WorkFolder::WorkFolder(const std::string &purpose) {
    std::string name = temporaryPlace() + "/loopscope-" + purpose + "-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr)
        throw Error(fmt::format("no folder can be made in {}: {}", temporaryPlace(), std::strerror(errno)));
    m_path = name;
}

WorkFolder::~WorkFolder() {
    std::error_code left;
    std::filesystem::remove_all(m_path, left);
}

} // namespace loopscope
