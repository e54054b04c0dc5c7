#include "records/record/record_writer.h"

#include "records/record/foreign_log.h"
#include "records/record/log_text.h"
#include "records/record/unpacker.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <unordered_set>
#include <utility>

namespace loopscope {

namespace {

constexpr std::chrono::milliseconds kPause{20};
constexpr std::chrono::seconds kPatience{5};
constexpr size_t kMaxLookedAt = 4096; // of the line that tells a log from other files

/// A record's line with the comments in front of it, or comments at the end.
struct LogPart {
    std::string_view text; // all lines, newlines included
    std::string_view line; // the record's; empty: comments alone
};

std::vector<LogPart> partsOf(std::string_view text) {
    std::vector<LogPart> parts;
    size_t begin = 0;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = text.substr(at, end - at);
        at = std::min(end + 1, text.size());
        if (isLogComment(line)) continue;
        parts.push_back({text.substr(begin, at - begin), line});
        begin = at;
    }
    if (begin < text.size()) parts.push_back({text.substr(begin), {}});
    return parts;
}

struct Missing {
    std::string text;
    size_t records = 0;
};

/// What of `whole` the file, which now holds `present`, lacks.
Missing missingFrom(std::string_view whole, std::string_view present) {
    Missing missing;
    if (whole.starts_with(present)) {
        missing.text = whole.substr(present.size());
        for (const LogPart &part : partsOf(missing.text)) missing.records += part.line.empty() ? 0 : 1;
        return missing;
    }
    std::unordered_set<std::string_view> there;
    for (const LogPart &part : partsOf(present)) there.insert(part.line.empty() ? part.text : part.line);
    if (!present.ends_with('\n')) missing.text = "\n";
    for (const LogPart &part : partsOf(whole)) {
        if (there.contains(part.line.empty() ? part.text : part.line)) continue;
        missing.text += part.text;
        missing.records += part.line.empty() ? 0 : 1;
    }
    return missing;
}

/// Nothing is appended to a file that is something else: a workload, say, named by mistake. A log may be empty, hold
/// comments alone, or be cut off in its first record.
void refuseOtherFiles(std::string_view text, const std::string &path) {
    if (const auto what = foreignLog(text.substr(0, kForeignStart)))
        throw Error(path, 0, 0, *what + "; nothing is appended to it");
    constexpr std::string_view begin = "{\"i\"";
    int number = 0;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = withoutMark(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        if (isLogComment(line)) continue;
        line = line.substr(0, kMaxLookedAt);
        if (line.front() == '{' && (line.find(begin.substr(1)) != std::string_view::npos || begin.starts_with(line)))
            return;
        throw Error(path, number, 0,
                    "this is no tuning log, as the first line in it that is no comment is no record; nothing is "
                    "appended to it: name another file");
    }
}

} // namespace

RecordWriter::RecordWriter(const std::string &path, Tell tell) : m_path(path), m_tell(std::move(tell)) {
    open();
    try {
        m_text = readLogText(m_fd, m_path);
        if (packingOf(m_text) != Packing::None)
            throw Error(m_path, 0, 0,
                        "this log is an archive, to which no record can be appended; unpack it, or name another file");
        refuseOtherFiles(m_text, m_path);
    } catch (...) {
        close();
        throw;
    }
}

RecordWriter::~RecordWriter() { close(); }

void RecordWriter::close() {
    if (m_fd >= 0) ::close(m_fd);
    m_fd = -1;
}

void RecordWriter::open() {
    m_made = ::access(m_path.c_str(), F_OK) != 0;
    m_fd = ::open(m_path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0644);
    if (m_fd < 0)
        throw Error(m_path, 0, 0, fmt::format("the log cannot be opened for writing: {}", std::strerror(errno)));
    struct stat info{};
    try {
        // What was written is looked at again and again, and kept whole.
        if (::fstat(m_fd, &info) != 0 || !S_ISREG(info.st_mode))
            throw Error(m_path, 0, 0,
                        "this is a pipe or a device, and a log is a file: name one, which others may "
                        "follow with `log follow`");
        lockLog(m_fd, m_path);
    } catch (...) {
        close();
        throw;
    }
}

void RecordWriter::append(const Record &record) { write(recordComment(record) + recordLine(record) + '\n'); }

void RecordWriter::appendVerdict(const std::string &name, const TimeInterval &time,
                                 const std::optional<RunnerUp> &next) {
    write(verdictLine(name, time, next) + '\n');
}

void RecordWriter::appendRemark(const std::string &remark) { write("# " + remark + '\n'); }

void RecordWriter::write(const std::string &text) {
    if (const std::string what = damage(); !what.empty()) restore(what);
    const bool lineOpen = !m_text.empty() && m_text.back() != '\n';
    put(lineOpen ? '\n' + text : text);
}

void RecordWriter::put(std::string_view text) {
    size_t written = 0;
    while (written < text.size()) {
        const ssize_t n = ::write(m_fd, text.data() + written, text.size() - written);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            const int problem = errno;
            takeBack();
            throw Error(m_path, 0, 0, fmt::format("the record cannot be written: {}", std::strerror(problem)));
        }
        written += static_cast<size_t>(n);
    }
    m_text += text;
}

/// Half a record helps nobody, nor does a log without one.
void RecordWriter::takeBack() {
    if (m_text.empty() && m_made)
        ::unlink(m_path.c_str());
    else
        (void)!::ftruncate(m_fd, static_cast<off_t>(m_text.size()));
}

std::string RecordWriter::damage() {
    struct stat ours{};
    struct stat there{};
    if (::stat(m_path.c_str(), &there) != 0) return "was deleted";
    if (::fstat(m_fd, &ours) != 0 || ours.st_ino != there.st_ino || ours.st_dev != there.st_dev)
        return "was replaced by another file";
    const auto size = static_cast<size_t>(there.st_size);
    if (size < m_text.size()) return fmt::format("was cut from {} to {} bytes", m_text.size(), size);
    if (size > m_text.size()) m_text = readLogText(m_fd, m_path); // somebody who knows no lock appended to it
    return {};
}

void RecordWriter::restore(const std::string &damage) {
    const std::string whole = std::exchange(m_text, {});
    close();
    std::error_code ignored; // opening the file tells why it cannot be made
    if (const auto folder = std::filesystem::path(m_path).parent_path(); !folder.empty())
        std::filesystem::create_directories(folder, ignored);
    // Another writer of this very program, such as an export over this log, ends by itself.
    for (const auto begin = std::chrono::steady_clock::now(); m_fd < 0;) {
        try {
            open();
        } catch (const LogBusy &busy) {
            if (!busy.byThisProcess() || std::chrono::steady_clock::now() - begin > kPatience) throw;
            std::this_thread::sleep_for(kPause);
        }
    }
    m_text = readLogText(m_fd, m_path);
    const Missing missing = missingFrom(whole, m_text);
    put(missing.text);
    if (!m_tell) return;
    const std::string done = missing.records == 0 ? "nothing was lost"
                             : missing.records == 1
                                 ? "one record is written again from memory"
                                 : fmt::format("{} records are written again from memory", missing.records);
    m_tell(fmt::format("the log {} while it was being written; {}: {}", damage, done, m_path));
}

std::optional<RunnerUp> runnerUp(const std::vector<ComparedTime> &compared, int winner,
                                 const std::function<std::string(int trial)> &nameOf) {
    const ComparedTime *next = nullptr;
    const auto isBetter = [&](const ComparedTime &entry) {
        if (next == nullptr || next->trial < 0 || entry.trial < 0)
            return next == nullptr || (next->trial < 0 && entry.trial >= 0);
        return entry.time.seconds < next->time.seconds;
    };
    for (const ComparedTime &entry : compared)
        if (entry.trial != winner && entry.time.known() && isBetter(entry)) next = &entry;
    if (next == nullptr) return std::nullopt;
    return RunnerUp{next->trial < 0 ? "the naive schedule" : nameOf(next->trial), next->time};
}

std::unique_ptr<RecordWriter> writerWhenFree(const std::string &path, const RecordWriter::Tell &tell,
                                             const std::atomic<bool> &cancelled) {
    while (!cancelled) {
        try {
            return std::make_unique<RecordWriter>(path, tell);
        } catch (const LogBusy &busy) {
            if (!busy.byThisProcess()) throw;
        }
        std::this_thread::sleep_for(kPause);
    }
    return nullptr;
}

} // namespace loopscope
