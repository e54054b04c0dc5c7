#include "record/record.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace loopscope {

namespace {

constexpr std::string_view kFailedComment = "# failed: ";
constexpr std::string_view kUnstableComment = "# unstable";
constexpr std::string_view kBuildComment = "# build ";
constexpr std::string_view kVerdictComment = "# best of an interleaved comparison: record ";

std::string systemReason() { return std::strerror(errno); }

std::string readWholeFile(const std::string &path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) throw Error(path, 0, 0, fmt::format("the log cannot be opened: {}", systemReason()));
    std::string text;
    struct stat info{};
    if (::fstat(fd, &info) == 0 && info.st_size > 0) text.reserve(static_cast<size_t>(info.st_size) + 1);
    std::vector<char> block(1 << 18);
    while (true) {
        const ssize_t got = ::read(fd, block.data(), block.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            const std::string reason = systemReason();
            ::close(fd);
            throw Error(path, 0, 0, fmt::format("the log cannot be read: {}", reason));
        }
        if (got == 0) break;
        text.append(block.data(), static_cast<size_t>(got));
    }
    ::close(fd);
    return text;
}

std::string unescapeReason(std::string_view text) {
    std::string reason;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size()) {
            ++i;
            reason += text[i] == 'n' ? '\n' : text[i];
        } else {
            reason += text[i];
        }
    }
    return reason;
}

/// `# build 0.31 s, error 0.02`; the line gives build and run together. Anything else is somebody's remark.
void readBuildComment(std::string_view comment, Trial &trial) {
    constexpr std::string_view between = " s, error ";
    double build = 0;
    double error = 0;
    const char *end = comment.data() + comment.size();
    auto read = std::from_chars(comment.data() + kBuildComment.size(), end, build);
    if (read.ec != std::errc() || !std::string_view(read.ptr, end).starts_with(between)) return;
    read = std::from_chars(read.ptr + between.size(), end, error);
    if (read.ec != std::errc() || read.ptr != end || !(build >= 0 && build <= trial.runSeconds)) return;
    trial.maxError = error;
    trial.buildSeconds = build;
    trial.runSeconds -= build;
}

void readComment(std::string_view comment, Trial &trial) {
    if (comment.starts_with(kBuildComment)) readBuildComment(comment, trial);
    if (!trial.valid() && comment.starts_with(kFailedComment))
        trial.reason = unescapeReason(comment.substr(kFailedComment.size()));
    if (trial.valid() && comment == kUnstableComment) trial.unstable = true;
}

} // namespace

RecordLog loadRecordLog(const std::string &path) {
    const std::string text = readWholeFile(path);
    RecordLog log;
    log.path = path;
    std::vector<std::string_view> comments; // right before the line
    int number = 0;
    for (size_t at = 0; at < text.size();) {
        ++number;
        const size_t end = text.find('\n', at);
        const bool cutOff = end == std::string::npos;
        std::string_view line(text.data() + at, (cutOff ? text.size() : end) - at);
        at = cutOff ? text.size() : end + 1;
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty() || line[0] == '#' || line[0] == ' ') {
            comments.push_back(line);
            if (line.starts_with(kVerdictComment)) {
                size_t winner = 0;
                const std::string_view digits = line.substr(kVerdictComment.size());
                const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), winner);
                if (parsed.ec == std::errc() && winner < log.records.size())
                    log.verdict = RecordLog::Verdict{winner, log.records.size()};
            }
            continue;
        }
        try {
            Record record = parseRecord(line, path, number);
            for (const std::string_view comment : comments) readComment(comment, record.trial);
            log.records.push_back(std::move(record));
        } catch (const Error &problem) {
            log.skipped.push_back({number, cutOff ? fmt::format("the last line is cut off: {}", problem.sentence())
                                                  : problem.sentence()});
        }
        comments.clear();
    }
    return log;
}

RecordWriter::RecordWriter(const std::string &path) : m_path(path) {
    // Readable too, because the last byte tells whether the file ends within a line.
    m_fd = ::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (m_fd < 0) throw Error(path, 0, 0, fmt::format("the log cannot be opened for writing: {}", systemReason()));
    char last = '\n';
    const off_t size = ::lseek(m_fd, 0, SEEK_END);
    if (size > 0 && ::pread(m_fd, &last, 1, size - 1) == 1) m_lineOpen = last != '\n';
}

RecordWriter::~RecordWriter() {
    if (m_fd >= 0) ::close(m_fd);
}

void RecordWriter::append(const Record &record) {
    std::string text = m_lineOpen ? "\n" : "";
    text += recordComment(record);
    text += recordLine(record);
    text += '\n';
    write(text);
}

void RecordWriter::appendVerdict(size_t record, double seconds) {
    write(fmt::format("{}{}{}, {:.6g} s\n", m_lineOpen ? "\n" : "", kVerdictComment, record, seconds));
}

void RecordWriter::write(const std::string &text) {
    size_t written = 0;
    while (written < text.size()) {
        const ssize_t n = ::write(m_fd, text.data() + written, text.size() - written);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw Error(m_path, 0, 0, fmt::format("the record cannot be written: {}", systemReason()));
        written += static_cast<size_t>(n);
        m_lineOpen = written < text.size();
    }
}

} // namespace loopscope
