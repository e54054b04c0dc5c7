#include "records/logs/log_source.h"

#include "base/outcome.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace loopscope {

namespace {

constexpr size_t kFingerprintBytes = 4096;

} // namespace

LogSource::LogSource(const std::string &path, const std::atomic<bool> *cancelled) : m_path(path) {
    // Without waiting for somebody to open the other end of a named pipe.
    m_fd = path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                       : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (m_fd < 0) throw Error(path, 0, 0, std::string("the log cannot be opened: ") + std::strerror(errno));
    try {
        if (const std::string why = prepare(cancelled); !why.empty())
            throw Error(path, 0, 0, "the log cannot be read: " + why);
    } catch (...) {
        ::close(m_fd);
        throw;
    }
}

LogSource::~LogSource() {
    m_spool.reset();
    ::close(m_fd);
}

std::string LogSource::prepare(const std::atomic<bool> *cancelled) {
    struct stat info{};
    if (::fstat(m_fd, &info) != 0) return std::strerror(errno);
    if (S_ISDIR(info.st_mode)) return "it is a directory";
    if (!S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode)) return "it is a device; give a file or a pipe";
    if (S_ISREG(info.st_mode)) {
        m_size = static_cast<uint64_t>(info.st_size);
        std::array<char, 4> start{};
        const size_t got = read(0, start.data(), start.size());
        if (packingOf({start.data(), got}) == Packing::None) {
            m_fingerprint = fingerprint();
            return {};
        }
        ::lseek(m_fd, 0, SEEK_SET); // standard input may stand elsewhere
    }
    m_spool = std::make_unique<Spool>(m_fd, m_path, cancelled);
    return {};
}

uint64_t LogSource::waitFor(uint64_t bytes) { return m_spool ? m_spool->waitFor(bytes) : m_size; }

uint64_t LogSource::size() const {
    if (!m_spool) return m_size;
    return m_spool->ended() ? m_spool->waitFor(0) : 0;
}

size_t LogSource::read(uint64_t at, char *into, size_t bytes) const {
    size_t done = 0;
    while (done < bytes) {
        const ssize_t got =
            ::pread(m_spool ? m_spool->fd() : m_fd, into + done, bytes - done, static_cast<off_t>(at + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw Error(m_path, 0, 0, std::string("the log cannot be read: ") + std::strerror(errno));
        if (got == 0) break;
        done += static_cast<size_t>(got);
    }
    return done;
}

std::string LogSource::text(uint64_t begin, uint64_t end) const {
    std::string text(end - begin, '\0');
    if (read(begin, text.data(), text.size()) < text.size())
        throw Error(m_path, 0, 0, "the log has become shorter since it was opened; open it again");
    return text;
}

uint64_t LogSource::fingerprint() const {
    std::array<char, 2 * kFingerprintBytes> bytes{};
    const size_t each = std::min<uint64_t>(m_size, kFingerprintBytes);
    const size_t first = read(0, bytes.data(), each);
    const size_t last = read(m_size - each, bytes.data() + first, each);
    return std::hash<std::string_view>()({bytes.data(), first + last});
}

LogSource::Change LogSource::look() {
    if (m_spool || m_path == "-") return Change::None;
    struct stat ours{};
    struct stat there{};
    if (::fstat(m_fd, &ours) != 0 || ::stat(m_path.c_str(), &there) != 0 || ours.st_ino != there.st_ino ||
        ours.st_dev != there.st_dev)
        return Change::Replaced;
    const auto size = static_cast<uint64_t>(there.st_size);
    if (size < m_size || fingerprint() != m_fingerprint) return Change::Replaced;
    if (size == m_size) return Change::None;
    m_size = size;
    m_fingerprint = fingerprint();
    return Change::Grown;
}

} // namespace loopscope
