#include "codegen/nvidia/nvidia_tools.h"

#include "base/isolate/run_program.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <optional>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace loopscope {

namespace {

namespace fs = std::filesystem;

constexpr double kAskTimeout = 20; // seconds for a tool to tell its version

bool isExecutable(const fs::path &file) {
    std::error_code none;
    return fs::is_regular_file(file, none) && ::access(file.c_str(), X_OK) == 0;
}

ToolVersion versionIn(std::string_view text) {
    ToolVersion version;
    while (!text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0) {
        int number = 0;
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (problem != std::errc()) break;
        version.push_back(number);
        text.remove_prefix(static_cast<size_t>(end - text.data()));
        if (!text.starts_with('.')) break;
        text.remove_prefix(1);
    }
    return version;
}

/// From `Cuda compilation tools, release 13.5, V13.5.37`.
std::optional<NvidiaTool> toolAt(const fs::path &file) {
    if (!isExecutable(file)) return std::nullopt;
    const Outcome<ProgramOutput> said = runProgram({file.string(), "--version"}, {.timeout = kAskTimeout});
    if (!said || !said->succeeded()) return std::nullopt;
    const size_t release = said->output.find("release ");
    if (release == std::string::npos) return std::nullopt;
    const size_t full = said->output.find(", V", release);
    NvidiaTool tool;
    tool.path = file.string();
    tool.version = versionIn(std::string_view(said->output).substr(full != std::string::npos ? full + 3 : release + 8));
    if (tool.version.empty()) return std::nullopt;
    return tool;
}

/// Every `'sm_..'` of what ptxas tells of -arch.
void askArchitectures(NvidiaTool &ptxas) {
    const Outcome<ProgramOutput> said = runProgram({ptxas.path, "--help"}, {.timeout = kAskTimeout});
    if (!said) return;
    const std::string &text = said->output;
    for (size_t at = text.find("'sm_"); at != std::string::npos; at = text.find("'sm_", at + 1)) {
        const size_t end = text.find('\'', at + 1);
        if (end != std::string::npos) ptxas.architectures.insert(text.substr(at + 1, end - at - 1));
    }
}

/// The libraries of a folder. Which release a `libnvrtc.so.13` is of, its built-in functions beside it tell.
void addNvrtc(const fs::path &folder, std::vector<NvidiaTool> &found) {
    constexpr std::string_view kLibrary = "libnvrtc.so.";
    constexpr std::string_view kBuiltins = "libnvrtc-builtins.so.";
    std::error_code none;
    std::vector<std::string> names;
    for (const fs::directory_entry &entry : fs::directory_iterator(folder, none))
        names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    for (const std::string &name : names) {
        if (!name.starts_with(kLibrary)) continue;
        NvidiaTool tool;
        tool.path = (folder / name).string();
        tool.version = versionIn(std::string_view(name).substr(kLibrary.size()));
        if (tool.version.empty()) continue;
        for (const std::string &other : names) {
            if (!other.starts_with(kBuiltins)) continue;
            const ToolVersion release = versionIn(std::string_view(other).substr(kBuiltins.size()));
            if (!release.empty() && release.front() == tool.version.front() && release.size() > tool.version.size())
                tool.version = release;
        }
        found.push_back(std::move(tool));
    }
}

/// Newest first; of each release the first that was found.
void keepNewest(std::vector<NvidiaTool> &tools) {
    std::ranges::stable_sort(tools, std::greater(), &NvidiaTool::version);
    const auto twice = std::ranges::unique(tools, {}, &NvidiaTool::version);
    tools.erase(twice.begin(), twice.end());
}

void splitFolders(const char *list, std::vector<std::string> &folders) {
    std::string_view rest = list != nullptr ? list : "";
    while (!rest.empty()) {
        const size_t end = std::min(rest.find(':'), rest.size());
        if (end > 0) folders.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
}

std::vector<fs::path> subfolders(const fs::path &folder, std::string_view prefix) {
    std::error_code none;
    std::vector<fs::path> found;
    for (const fs::directory_entry &entry : fs::directory_iterator(folder, none))
        if (entry.is_directory(none) && entry.path().filename().string().starts_with(prefix))
            found.push_back(entry.path());
    std::ranges::sort(found, std::greater());
    return found;
}

} // namespace

std::string versionText(const ToolVersion &version) { return fmt::format("{}", fmt::join(version, ".")); }

NvidiaTools nvidiaToolsIn(const std::vector<std::string> &folders) {
    std::vector<fs::path> places;
    const auto add = [&](const fs::path &folder) {
        for (const char *inside : {"", "bin", "lib", "lib64"}) {
            std::error_code none;
            const fs::path place = *inside == '\0' ? folder : folder / inside;
            if (fs::is_directory(place, none)) places.push_back(place);
        }
    };
    for (const std::string &name : folders) {
        const fs::path folder(name);
        add(folder);
        if (folder.filename() == "cuda-tools")
            for (const fs::path &version : subfolders(folder, "")) add(version);
    }
    NvidiaTools tools;
    for (const fs::path &place : places) {
        addNvrtc(place, tools.nvrtc);
        if (auto tool = toolAt(place / "ptxas")) tools.ptxas.push_back(*std::move(tool));
        if (auto tool = toolAt(place / "nvdisasm")) tools.nvdisasm.push_back(*std::move(tool));
        if (auto tool = toolAt(place / "cuobjdump")) tools.cuobjdump.push_back(*std::move(tool));
    }
    for (auto *several : {&tools.nvrtc, &tools.ptxas, &tools.nvdisasm, &tools.cuobjdump}) keepNewest(*several);
    for (NvidiaTool &ptxas : tools.ptxas) askArchitectures(ptxas);
    return tools;
}

std::vector<std::string> nvidiaToolFolders() {
    std::vector<std::string> folders;
    if (const char *asked = std::getenv("LOOPSCOPE_CUDA"); asked != nullptr && *asked != '\0') {
        splitFolders(asked, folders);
        return folders;
    }
    std::error_code none;
    const fs::path program = fs::read_symlink("/proc/self/exe", none).parent_path(); // <build>/<preset>/bin
    if (!none) {
        folders.push_back((program.parent_path().parent_path() / "cuda-tools").string());
        folders.push_back((program.parent_path() / "lib" / "loopscope" / "cuda-tools").string());
    }
    splitFolders(std::getenv("PATH"), folders);
    for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
        if (const char *home = std::getenv(variable); home != nullptr && *home != '\0') folders.emplace_back(home);
    folders.emplace_back("/usr/local/cuda");
    for (const fs::path &version : subfolders("/usr/local", "cuda-")) folders.push_back(version.string());
    folders.emplace_back("/opt/cuda");
    return folders;
}

const NvidiaTools &foundNvidiaTools() {
    static const NvidiaTools tools = nvidiaToolsIn(nvidiaToolFolders());
    return tools;
}

std::string NvidiaTools::told() const {
    std::string text;
    for (const auto &[name, several] : {std::pair("NVRTC", &nvrtc), std::pair("ptxas", &ptxas),
                                        std::pair("nvdisasm", &nvdisasm), std::pair("cuobjdump", &cuobjdump)}) {
        if (several->empty()) text += fmt::format("{}: not found\n", name);
        for (const NvidiaTool &tool : *several)
            text += fmt::format("{} {}, {}\n", name, versionText(tool.version), tool.path);
    }
    return text;
}

std::string missingTool(std::string_view tool) {
    return fmt::format("{} is not found; packaging/cuda-tools installs it into the build, and LOOPSCOPE_CUDA names the "
                       "folder of a toolkit that is somewhere else",
                       tool);
}

} // namespace loopscope
