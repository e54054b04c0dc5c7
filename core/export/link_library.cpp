#include "export/link_library.h"

#include "input_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

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

/// Gone with everything in it.
class LinkFolder {
  public:
    LinkFolder() {
        std::string name = (temporaryFolder() / "loopscope-link-XXXXXX").string();
        if (::mkdtemp(name.data()) != nullptr) m_path = name;
    }
    ~LinkFolder() {
        std::error_code left;
        if (!m_path.empty()) std::filesystem::remove_all(m_path, left);
    }
    LinkFolder(const LinkFolder &) = delete;
    LinkFolder &operator=(const LinkFolder &) = delete;
    [[nodiscard]] std::string file(const std::string &name) const { return m_path + "/" + name; }
    [[nodiscard]] bool exists() const { return !m_path.empty(); }

  private:
    std::string m_path;
};

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

std::string compilerHere() {
    for (const char *name : {"cc", "gcc", "clang"})
        if (std::string found = foundOnPath(name); !found.empty()) return found;
    return {};
}

/// The exit code, or -1 when it could not be started; what it printed lands in `output`.
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

} // namespace

Outcome<std::string> linkLibrary(const std::string &object, const std::string &fileName, bool startsThreads) {
    constexpr size_t kMostBytes = size_t{256} << 20;
    const std::string compiler = compilerHere();
    if (compiler.empty())
        return Refusal{
            "a shared library is linked by a C compiler, and there is no cc, gcc or clang on PATH; install one, "
            "or export the object file"};
    const LinkFolder folder;
    if (!folder.exists()) {
        const std::string why = std::strerror(errno);
        return Refusal{fmt::format("no folder can be made in {} to link in: {}", temporaryFolder().string(), why)};
    }
    std::ofstream(folder.file("kernel.o"), std::ios::binary) << object;
    std::vector<std::string> words = {
        compiler, "-shared", "-o", folder.file("library.so"), "-Wl,-soname," + fileName, folder.file("kernel.o")};
    if (startsThreads) words.emplace_back("-fopenmp");
    words.emplace_back("-lm");
    if (const int code = runCompiler(words, folder.file("said")); code != 0) {
        std::string said = readInputFile(folder.file("said"), "what the compiler said", kMostBytes);
        said = said.substr(0, said.find('\n'));
        return Refusal{fmt::format("{} does not link the library: {}", compiler,
                                   said.empty() ? fmt::format("exit code {}", code) : said)};
    }
    try {
        return readInputFile(folder.file("library.so"), "the library", kMostBytes);
    } catch (const Error &problem) {
        return Refusal{problem.what()};
    }
}

} // namespace loopscope
