#include "records/export/c_compiler.h"

#include "base/input_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

extern char **environ;

namespace loopscope {

namespace {

/// Where temporary files go, whether there is such a folder or not.
std::filesystem::path temporaryFolder() {
    std::error_code none;
    std::filesystem::path folder = std::filesystem::temp_directory_path(none);
    if (!none) return folder;
    const char *asked = std::getenv("TMPDIR");
    return asked != nullptr ? asked : "/tmp";
}

std::string foundOnPath(const char *program) {
    const char *path = std::getenv("PATH");
    const std::string folders = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
    for (size_t begin = 0; begin <= folders.size();) {
        const size_t end = std::min(folders.find(':', begin), folders.size());
        const std::string file = folders.substr(begin, end - begin) + "/" + program;
        if (end > begin && ::access(file.c_str(), X_OK) == 0) return file;
        begin = end + 1;
    }
    return {};
}

} // namespace

CompilerFolder::CompilerFolder() {
    std::string name = (temporaryFolder() / "loopscope-link-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr)
        m_path = name;
    else
        m_problem =
            fmt::format("no folder can be made in {} to link in: {}", temporaryFolder().string(), std::strerror(errno));
}

CompilerFolder::~CompilerFolder() {
    std::error_code left;
    if (!m_path.empty()) std::filesystem::remove_all(m_path, left);
}

Outcome<std::string> compilerHere() {
    for (const char *name : {"cc", "gcc", "clang"})
        if (std::string found = foundOnPath(name); !found.empty()) return found;
    return Refusal{
        "a shared library is linked by a C compiler, and there is no cc, gcc or clang on PATH; install one, or export "
        "something that needs none"};
}

int runCompiler(const std::vector<std::string> &words, const std::string &output) {
    std::vector<char *> arguments;
    for (const std::string &word : words) arguments.push_back(const_cast<char *>(word.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    pid_t pid = -1;
    const int failed = ::posix_spawn(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) return -1;
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string firstComplaint(const std::string &output, int code) {
    constexpr size_t kMaxBytes = size_t{1} << 20;
    std::string said;
    try {
        said = readInputFile(output, "what the compiler said", kMaxBytes);
    } catch (const Error &) {
        said.clear(); // it said nothing, or more than anybody reads
    }
    // Notes of where it is come before the error itself.
    const size_t error = said.find("error");
    const size_t begin = error == std::string::npos ? 0 : said.rfind('\n', error) + 1;
    said = said.substr(begin, said.find('\n', begin) - begin);
    return said.empty() ? fmt::format("exit code {}", code) : said;
}

} // namespace loopscope
