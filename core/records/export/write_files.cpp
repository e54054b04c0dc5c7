#include "records/export/write_files.h"

#include "base/outcome.h"
#include "base/whole_file.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

namespace loopscope {

namespace {

namespace fs = std::filesystem;

Outcome<bool> writeOne(const fs::path &path, const std::string &bytes) {
    try {
        writeWholeFile(path.string(), bytes);
        return true;
    } catch (const Error &problem) {
        return Refusal{fmt::format("{} {}", path.string(), problem.sentence())};
    }
}

/// The first thing in the folder that no export of these files put there.
std::string foreignIn(const fs::path &folder, const ExportedFiles &files) {
    std::error_code unreadable;
    std::vector<std::string> names;
    for (const fs::directory_entry &entry : fs::directory_iterator(folder, unreadable))
        names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    for (const std::string &name : names) {
        const bool ours =
            std::any_of(files.begin(), files.end(), [&](const ExportedFile &file) { return file.name == name; });
        if (!ours) return name;
    }
    return {};
}

bool madeByExport(const fs::path &path) {
    std::error_code unknown;
    if (!fs::is_regular_file(path, unknown)) return false; // a pipe would be waited for
    std::ifstream in(path, std::ios::binary);
    std::string begin(4096, '\0');
    in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    begin.resize(static_cast<size_t>(in.gcount()));
    return begin.empty() || begin.find("Loopscope") != std::string::npos;
}

Outcome<std::vector<std::string>> writeFolder(const ExportedFiles &files, const fs::path &folder,
                                              const ExportFormatInfo &info) {
    std::error_code error;
    if (fs::exists(folder, error) && !fs::is_directory(folder, error))
        return Refusal{fmt::format("{} is a file; the format {} writes a folder: name one that is new or empty",
                                   folder.string(), info.name)};
    fs::create_directories(folder, error);
    if (error) return Refusal{fmt::format("the folder {} cannot be made: {}", folder.string(), error.message())};
    if (const std::string foreign = foreignIn(folder, files); !foreign.empty())
        return Refusal{
            fmt::format("the folder {} holds {}, which is not part of this export; name a folder that is new or "
                        "empty",
                        folder.string(), foreign)};
    std::vector<std::string> written;
    for (const ExportedFile &file : files) {
        const Outcome<bool> done = writeOne(folder / file.name, file.bytes);
        if (!done) return done.refusal();
        written.push_back((folder / file.name).string());
    }
    return written;
}

} // namespace

std::string stemFor(ExportFormat format, const std::string &path) {
    if (infoOf(format).shape == ExportShape::Folder) return {};
    return fs::path(path).stem().string();
}

Outcome<std::vector<std::string>> writeFiles(const ExportedFiles &files, ExportFormat format, const std::string &path) {
    const ExportFormatInfo &info = infoOf(format);
    if (info.shape == ExportShape::Folder) return writeFolder(files, path, info);
    std::error_code error;
    if (fs::is_directory(path, error) || path.ends_with('/'))
        return Refusal{fmt::format("{} is a folder; the format {} writes a file: name one in it, such as {}", path,
                                   info.name, (fs::path(path) / files.front().name).string())};
    const fs::path folder = fs::path(path).parent_path();
    std::vector<fs::path> paths = {path};
    for (size_t i = 1; i < files.size(); ++i) {
        paths.push_back(folder / files[i].name);
        if (paths.back() == paths.front() || (fs::exists(paths.back(), error) && !madeByExport(paths.back())))
            return Refusal{fmt::format("{} goes beside {}, and there is another file of that name; choose another name",
                                       files[i].name, path)};
    }
    std::vector<std::string> written;
    for (size_t i = 0; i < files.size(); ++i) {
        const Outcome<bool> done = writeOne(paths[i], files[i].bytes);
        if (!done) return done.refusal();
        written.push_back(paths[i].string());
    }
    return written;
}

} // namespace loopscope
