#include "base/whole_file.h"

#include "base/outcome.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace loopscope {

namespace {

constexpr size_t kBuffered = size_t{1} << 20;

std::string behindLinks(const std::string &path) {
    char resolved[PATH_MAX];
    return ::realpath(path.c_str(), resolved) != nullptr ? resolved : path;
}

} // namespace

WholeFile::WholeFile(std::string path) : m_path(std::move(path)), m_target(m_path) {
    struct stat info{};
    const bool exists = ::stat(m_path.c_str(), &info) == 0;
    if (exists && S_ISDIR(info.st_mode)) fail(EISDIR);
    if (exists && !S_ISREG(info.st_mode)) {
        m_fd = ::open(m_path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK); // nobody is waited for who would read a pipe
        if (m_fd >= 0) ::fcntl(m_fd, F_SETFL, ::fcntl(m_fd, F_GETFL) & ~O_NONBLOCK);
    } else {
        // What must not be written must not be replaced either.
        if (exists && ::access(m_path.c_str(), W_OK) != 0) fail(errno);
        if (exists) m_target = behindLinks(m_path);
        m_beside = m_target + "." + std::to_string(::getpid()) + ".part";
        m_fd = ::open(m_beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (m_fd >= 0 && exists) (void)::fchmod(m_fd, info.st_mode & 07777);
    }
    if (m_fd < 0) {
        m_beside.clear();
        fail(errno);
    }
}

WholeFile::~WholeFile() { discard(); }

void WholeFile::discard() {
    if (m_fd >= 0) ::close(std::exchange(m_fd, -1));
    if (!m_beside.empty()) ::unlink(m_beside.c_str());
    m_beside.clear();
}

void WholeFile::fail(int problem) {
    discard();
    throw Error(m_path, 0, 0, std::string("cannot be written: ") + std::strerror(problem));
}

void WholeFile::flush() {
    std::string_view rest = m_buffer;
    while (!rest.empty()) {
        const ssize_t n = ::write(m_fd, rest.data(), rest.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail(errno);
        rest.remove_prefix(static_cast<size_t>(n));
    }
    m_buffer.clear();
}

void WholeFile::write(std::string_view bytes) {
    m_buffer += bytes;
    if (m_buffer.size() >= kBuffered) flush();
}

void WholeFile::finish() {
    flush();
    if (::close(std::exchange(m_fd, -1)) != 0) fail(errno); // some file systems say only now that they are full
    if (m_beside.empty()) return;
    if (std::rename(m_beside.c_str(), m_target.c_str()) != 0) fail(errno);
    m_beside.clear();
}

void writeWholeFile(const std::string &path, std::string_view bytes) {
    WholeFile file(path);
    file.write(bytes);
    file.finish();
}

} // namespace loopscope
