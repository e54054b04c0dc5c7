#include "records/logs/new_log.h"

#include "records/record/log_lock.h"
#include "records/record/log_text.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace loopscope {

namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;

/// What stands there is replaced only when it is a log, too.
bool looksLikeLog(const std::string &path) {
    constexpr size_t enough = 64 * 1024;
    std::ifstream file(path, std::ios::binary);
    std::string line;
    for (size_t read = 0; read < enough && std::getline(file, line); read += line.size())
        if (!isLogComment(line)) return line.front() == '{' && line.find("\"i\"") != std::string::npos;
    return true; // empty, or comments alone
}

void refuseInputs(const std::string &path, const std::vector<const LogDocument *> &inputs) {
    struct stat there{};
    if (::stat(path.c_str(), &there) != 0) return;
    for (const LogDocument *input : inputs) {
        struct stat read{};
        if (::stat(input->path().c_str(), &read) == 0 && read.st_ino == there.st_ino && read.st_dev == there.st_dev)
            throw Error(path, 0, 0, "this is the log that is read; the new one needs another name");
    }
    if (!S_ISREG(there.st_mode))
        throw Error(path, 0, 0, "this is no file, and a log is written to one; choose another name");
    if (!looksLikeLog(path))
        throw Error(path, 0, 0, "another file of this name is there, which is no tuning log; choose another name");
    if (const auto holder = logHolder(path))
        throw Error(path, 0, 0,
                    fmt::format("this log is being written by {}; choose another name, or wait until it is done",
                                holder->program.empty() ? "another process" : holder->program));
}

} // namespace

NewLog::NewLog(std::string path, const std::vector<const LogDocument *> &inputs) : m_path(std::move(path)) {
    refuseInputs(m_path, inputs);
    m_written = m_path + ".XXXXXX";
    m_fd = ::mkostemp(m_written.data(), O_CLOEXEC);
    if (m_fd < 0) throw Error(m_path, 0, 0, fmt::format("the log cannot be written: {}", std::strerror(errno)));
    const mode_t mask = ::umask(0);
    ::umask(mask);
    (void)::fchmod(m_fd, 0666 & ~mask); // as any new file; mkostemp makes it its owner's alone
}

NewLog::~NewLog() {
    if (m_fd < 0) return;
    ::close(m_fd);
    ::unlink(m_written.c_str());
}

void NewLog::add(const LogDocument &from, size_t record) {
    add(from.row(record).comments > 0 ? from.comment(record) : std::string(), from.line(record));
}

void NewLog::add(std::string_view comments, std::string_view line) {
    m_buffer += comments;
    if (!comments.empty() && comments.back() != '\n') m_buffer += '\n';
    m_buffer += line;
    m_buffer += '\n';
    ++m_records;
    if (m_buffer.size() >= kBufferBytes) flush();
}

void NewLog::flush() {
    size_t written = 0;
    while (written < m_buffer.size()) {
        const ssize_t n = ::write(m_fd, m_buffer.data() + written, m_buffer.size() - written);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw Error(m_path, 0, 0, fmt::format("the log cannot be written: {}", std::strerror(errno)));
        written += static_cast<size_t>(n);
    }
    m_bytes += written;
    m_buffer.clear();
}

void NewLog::finish() {
    flush();
    if (::close(std::exchange(m_fd, -1)) != 0 || std::rename(m_written.c_str(), m_path.c_str()) != 0) {
        const int problem = errno;
        ::unlink(m_written.c_str());
        throw Error(m_path, 0, 0, fmt::format("the log cannot be written: {}", std::strerror(problem)));
    }
}

} // namespace loopscope
