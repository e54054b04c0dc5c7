#include "records/bundle/command_run.h"

#include "base/outcome.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char **environ;

namespace loopscope {

namespace {

constexpr auto kLookForEnd = std::chrono::milliseconds(20);
constexpr int kPatience = 250; // looks: five seconds for a command that has something to clean up

std::string shellWord(const std::string &text) {
    std::string word = "'";
    for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

} // namespace

CommandRun::CommandRun(const std::string &command) {
    std::string shell = "/bin/sh";
    std::string option = "-c";
    std::string text = command;
    const std::array<char *, 4> arguments = {shell.data(), option.data(), text.data(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP); // a group of its own, to be ended as one
    const int failed = ::posix_spawn(&m_pid, shell.c_str(), &actions, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) throw Error(fmt::format("the bundle command cannot be started: {}", std::strerror(failed)));
}

CommandRun::~CommandRun() {
    if (m_status) return;
    ::kill(-m_pid, SIGTERM);
    for (int looked = 0; looked < kPatience && !ended(); ++looked) std::this_thread::sleep_for(kLookForEnd);
    if (m_status) return;
    ::kill(-m_pid, SIGKILL);
    int status = 0;
    while (::waitpid(m_pid, &status, 0) < 0 && errno == EINTR) {
    }
}

std::optional<int> CommandRun::ended() {
    int status = 0;
    if (!m_status && ::waitpid(m_pid, &status, WNOHANG) == m_pid) m_status = status;
    return m_status;
}

std::string commandFor(const std::string &command, const std::string &folder) {
    constexpr std::string_view kPlace = "{}";
    const std::string word = shellWord(folder);
    std::string text;
    size_t from = 0;
    for (size_t at = command.find(kPlace); at != std::string::npos; at = command.find(kPlace, from)) {
        text += command.substr(from, at - from) + word;
        from = at + kPlace.size();
    }
    return from == 0 ? command + " " + word : text + command.substr(from);
}

} // namespace loopscope
