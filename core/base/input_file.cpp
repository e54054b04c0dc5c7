#include "base/input_file.h"

#include "base/outcome.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace loopscope {

namespace {

struct OpenFile {
    explicit OpenFile(int fd) : fd(fd) {}
    ~OpenFile() {
        if (fd >= 0) ::close(fd);
    }
    OpenFile(const OpenFile &) = delete;
    OpenFile &operator=(const OpenFile &) = delete;
    int fd = -1;
};

/// Without waiting for somebody to open the other end of a named pipe.
OpenFile opened(const std::string &path, const std::string &what) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) throw Error(path, 0, 0, what + " cannot be opened: " + std::strerror(errno));
    return OpenFile(fd);
}

std::string sizeText(size_t bytes) {
    return bytes >= size_t{1} << 20 ? std::to_string(bytes >> 20) + " MiB" : std::to_string(bytes >> 10) + " KiB";
}

} // namespace

std::string readInputFile(const std::string &path, const std::string &what, size_t maxBytes) {
    const OpenFile file = opened(path, what);
    return readOpenFile(file.fd, path, what, maxBytes);
}

std::string readRegularFile(const std::string &path, const std::string &what, size_t maxBytes) {
    const OpenFile file = opened(path, what);
    struct stat info{};
    if (::fstat(file.fd, &info) == 0 && (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode)))
        throw Error(path, 0, 0, what + " cannot be read: it is a pipe; give a file");
    return readOpenFile(file.fd, path, what, maxBytes);
}

std::string readOpenFile(int fd, const std::string &path, const std::string &what, size_t maxBytes) {
    const auto fail = [&](const std::string &why) -> Error { return {path, 0, 0, what + " " + why}; };
    const auto tooLarge = [&] { return fail("is larger than " + sizeText(maxBytes)); };
    struct stat info{};
    if (::fstat(fd, &info) != 0) throw fail(std::string("cannot be read: ") + std::strerror(errno));
    if (S_ISDIR(info.st_mode)) throw fail("cannot be read: it is a directory");
    if (!S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode))
        throw fail("cannot be read: it is a device; give a file or a pipe");
    if (S_ISREG(info.st_mode) && static_cast<size_t>(info.st_size) > maxBytes) throw tooLarge();
    if (S_ISFIFO(info.st_mode)) ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    std::string text;
    if (S_ISREG(info.st_mode)) text.reserve(static_cast<size_t>(info.st_size) + 1);
    constexpr size_t block = size_t{1} << 16;
    while (true) {
        const size_t before = text.size();
        text.resize(before + block);
        const ssize_t got = ::read(fd, text.data() + before, block);
        text.resize(before + (got > 0 ? static_cast<size_t>(got) : 0));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw fail(std::string("cannot be read: ") + std::strerror(errno));
        if (got == 0) return text;
        if (text.size() > maxBytes) throw tooLarge();
    }
}

} // namespace loopscope
