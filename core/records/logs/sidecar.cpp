#include "records/logs/sidecar.h"

#include "base/input_file.h"
#include "base/json_text.h"
#include "base/outcome.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>
#include <utility>

namespace loopscope {

namespace {

using NotesJson = nlohmann::ordered_json;

constexpr int kNotesVersion = 1;
constexpr const char *kNotesFormat = "loopscope log notes";
constexpr size_t kMaxNotesBytes = size_t{256} << 20;

[[noreturn]] void refuseDamaged(const std::string &path, const std::string &what) {
    throw Error(
        path, 0, 0,
        fmt::format("the notes are damaged: {}; nothing is changed in them: repair the file, or move it away", what));
}

RecordNote noteOf(const std::string &path, const std::string &name, const NotesJson &json) {
    RecordNote note;
    if (!json.is_object()) refuseDamaged(path, fmt::format("the note of record {} is no object", name));
    if (const auto text = json.find("text"); text != json.end()) {
        if (!text->is_string()) refuseDamaged(path, fmt::format("the text noted of record {} is no string", name));
        note.text = text->get<std::string>();
    }
    if (const auto pinned = json.find("pinned"); pinned != json.end()) {
        if (!pinned->is_boolean())
            refuseDamaged(path, fmt::format("whether record {} is pinned is neither true nor false", name));
        note.pinned = pinned->get<bool>();
    }
    if (const auto line = json.find("line"); line != json.end()) {
        if (!line->is_number_unsigned())
            refuseDamaged(path, fmt::format("the line noted of record {} is no number of one", name));
        note.line = static_cast<uint32_t>(std::min<uint64_t>(line->get<uint64_t>(), UINT32_MAX));
    }
    if (const auto tags = json.find("tags"); tags != json.end()) {
        if (!tags->is_array()) refuseDamaged(path, fmt::format("the tags of record {} are no list", name));
        for (const NotesJson &tag : *tags) {
            if (!tag.is_string()) refuseDamaged(path, fmt::format("a tag of record {} is no string", name));
            note.tags.push_back(tag.get<std::string>());
        }
    }
    return note;
}

LogNotes notesIn(const std::string &path, const std::string &text) {
    const NotesJson json = [&] {
        try {
            return parseJson<NotesJson>(text, path, "the text");
        } catch (const Error &problem) {
            refuseDamaged(path, problem.sentence());
        }
    }();
    if (!json.is_object() || json.value("format", NotesJson()) != kNotesFormat)
        refuseDamaged(path, fmt::format("it does not begin with \"format\": \"{}\"", kNotesFormat));
    const NotesJson version = json.value("version", NotesJson());
    if (!version.is_number_integer()) refuseDamaged(path, "its version is no number");
    if (version.get<int64_t>() > kNotesVersion)
        throw Error(
            path, 0, 0,
            fmt::format("the notes were written by a newer Loopscope (version {}, this one knows {}); nothing is "
                        "changed in them",
                        version.get<int64_t>(), kNotesVersion));
    LogNotes notes;
    const auto records = json.find("records");
    if (records == json.end() || !records->is_object()) refuseDamaged(path, "it has no records");
    for (const auto &[name, note] : records->items()) notes.set(name, noteOf(path, name, note));
    return notes;
}

std::string textOf(const LogNotes &notes) {
    NotesJson records = NotesJson::object();
    for (const auto &[name, note] : notes.records) {
        NotesJson json = NotesJson::object();
        if (!note.text.empty()) json["text"] = note.text;
        if (!note.tags.empty()) json["tags"] = note.tags;
        if (note.pinned) json["pinned"] = true;
        if (note.line > 0) json["line"] = note.line;
        records[name] = std::move(json);
    }
    const NotesJson json = {{"format", kNotesFormat}, {"version", kNotesVersion}, {"records", std::move(records)}};
    return json.dump(1, ' ', false, NotesJson::error_handler_t::replace) + "\n";
}

} // namespace

const RecordNote &LogNotes::of(const std::string &name) const {
    static const RecordNote none;
    const auto found = records.find(name);
    return found == records.end() ? none : found->second;
}

void LogNotes::set(const std::string &name, RecordNote note) {
    std::vector<std::string> tags;
    for (std::string &tag : note.tags)
        if (std::find(tags.begin(), tags.end(), tag) == tags.end()) tags.push_back(std::move(tag));
    note.tags = std::move(tags);
    if (note.empty())
        records.erase(name);
    else
        records[name] = std::move(note);
}

std::string notesPath(const std::string &log) { return log + ".notes.json"; }

LogNotes loadLogNotes(const std::string &log) {
    const std::string path = notesPath(log);
    if (::access(path.c_str(), F_OK) != 0 && errno == ENOENT) return {};
    return notesIn(path, readInputFile(path, "the notes", kMaxNotesBytes));
}

void saveLogNotes(const std::string &log, const LogNotes &notes) {
    const std::string path = notesPath(log);
    (void)loadLogNotes(log); // what cannot be read is not replaced
    const auto refuse = [&] {
        throw Error(path, 0, 0, fmt::format("the notes cannot be written: {}", std::strerror(errno)));
    };
    if (notes.records.empty()) {
        if (::unlink(path.c_str()) != 0 && errno != ENOENT) refuse();
        return;
    }
    const std::string text = textOf(notes);
    const std::string beside = fmt::format("{}.{}", path, ::getpid());
    const int fd = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0) refuse();
    size_t written = 0;
    while (written < text.size()) {
        const ssize_t n = ::write(fd, text.data() + written, text.size() - written);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) break;
        written += static_cast<size_t>(n);
    }
    const bool whole = written == text.size();
    const int problem = errno;
    if (::close(fd) == 0 && whole && std::rename(beside.c_str(), path.c_str()) == 0) return;
    if (!whole) errno = problem;
    const int told = errno;
    ::unlink(beside.c_str());
    errno = told;
    refuse();
}

} // namespace loopscope
