#include "tensor/mapped_file.h"

#include "outcome.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace loopscope {

namespace {

/// Of the memory there is, so that much is read. What is larger is mapped: there is no room for a copy.
constexpr size_t kMostOfMemory = 4; // a fourth

size_t mostBytesRead() {
    return static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE)) / kMostOfMemory;
}

/// Memory of our own with what is in the file. A mapped file changes under whoever reads it, or ends the process, when
/// somebody writes it anew where it stands, as exporters do.
void *readInto(int file, size_t size, const std::string &path) {
    void *data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) return data;
    for (size_t done = 0; done < size;) {
        const size_t most = std::min(size - done, size_t{1} << 30);
        const ssize_t got = pread(file, static_cast<std::byte *>(data) + done, most, static_cast<off_t>(done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) {
            const std::string why = got == 0 ? "the file became shorter while it was read; open it again"
                                             : std::string("cannot be read: ") + std::strerror(errno);
            munmap(data, size);
            throw Error(path, 0, 0, why);
        }
        done += static_cast<size_t>(got);
    }
    mprotect(data, size, PROT_READ);
    return data;
}

struct OpenedFile {
    int fd;
    ~OpenedFile() {
        if (fd >= 0) ::close(fd);
    }
};

} // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::string &path) {
    // Without waiting for the other end of a named pipe.
    const OpenedFile file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file.fd < 0) throw Error(path, 0, 0, std::string("cannot be opened: ") + std::strerror(errno));
    struct stat status{};
    if (fstat(file.fd, &status) != 0 || !S_ISREG(status.st_mode)) throw Error(path, 0, 0, "is not a file");
    const auto size = static_cast<size_t>(status.st_size);
    void *data = nullptr;
    if (size > 0)
        data = size <= mostBytesRead() ? readInto(file.fd, size, path)
                                       : mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0); // stays
    if (data == MAP_FAILED) throw Error(path, 0, 0, std::string("cannot be mapped: ") + std::strerror(errno));
    return std::shared_ptr<const MappedFile>(new MappedFile(path, static_cast<const std::byte *>(data), size));
}

MappedFile::~MappedFile() {
    if (m_data) munmap(const_cast<std::byte *>(m_data), m_size);
}

} // namespace loopscope
