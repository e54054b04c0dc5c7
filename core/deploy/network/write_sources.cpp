#include "deploy/network/export_sources.h"

#include "base/outcome.h"
#include "base/whole_file.h"
#include "deploy/network/exported_name.h"

#include <filesystem>
#include <fmt/format.h>
#include <set>

namespace loopscope {

namespace {

namespace fs = std::filesystem;

std::string libraryFile(const std::string &name) { return "lib" + name + ".so"; }

/// What no export of the same network put there; files of kernels with other numbers count as its own.
std::string strangerIn(const fs::path &folder, const std::vector<SourceFile> &files, const std::string &name) {
    // What is built of an export is part of it: by --format library, and as its CMake file and Python do.
    std::set<std::string> known = {"kernels", "build", "__pycache__", libraryFile(name)};
    for (const SourceFile &file : files) known.insert(fs::path(file.name).begin()->string());
    std::set<std::string> strangers;
    std::error_code unreadable;
    for (const fs::directory_entry &entry : fs::directory_iterator(folder, unreadable))
        if (const std::string found = entry.path().filename().string(); !known.contains(found)) strangers.insert(found);
    for (const fs::directory_entry &entry : fs::directory_iterator(folder / "kernels", unreadable))
        if (const std::string found = entry.path().filename().string(); !found.starts_with(name + "_"))
            strangers.insert("kernels/" + found);
    return strangers.empty() ? std::string() : *strangers.begin();
}

} // namespace

Outcome<size_t> writeExport(const std::vector<SourceFile> &files, const std::string &network,
                            const std::string &folder) {
    std::error_code error;
    if (fs::exists(folder, error) && !fs::is_directory(folder, error))
        return Refusal{fmt::format("{} is a file; a network is exported into a folder", folder)};
    if (const std::string stranger = strangerIn(folder, files, exportedNetworkName(network)); !stranger.empty())
        return Refusal{
            fmt::format("the folder {} holds {}, which is not part of this export; name a folder that is new or "
                        "empty",
                        folder, stranger)};
    fs::remove(fs::path(folder) / libraryFile(exportedNetworkName(network)), error); // of other sources, other weights
    const fs::path kernels = fs::path(folder) / "kernels";
    fs::remove_all(kernels, error); // of an earlier export, which may have had more of them
    fs::create_directories(kernels, error);
    if (error) return Refusal{fmt::format("the folder {} cannot be made: {}", kernels.string(), error.message())};
    for (const SourceFile &file : files) {
        const fs::path path = fs::path(folder) / file.name;
        try {
            writeWholeFile(path.string(), file.bytes);
        } catch (const Error &problem) {
            return Refusal{fmt::format("{} {}", path.string(), problem.sentence())};
        }
    }
    return files.size();
}

} // namespace loopscope
