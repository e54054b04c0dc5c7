#include "tensor/mapped_file.h"

#include "outcome.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace loopscope {

std::shared_ptr<const MappedFile> MappedFile::open(const std::string &path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a named pipe is refused, not waited for
    if (file < 0) throw Error(path, 0, 0, std::string("cannot be opened: ") + std::strerror(errno));
    struct stat status{};
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        ::close(file);
        throw Error(path, 0, 0, "is not a file");
    }
    const auto size = static_cast<size_t>(status.st_size);
    void *data = nullptr;
    if (size > 0) data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    const int reason = errno;
    ::close(file); // the mapping stays
    if (data == MAP_FAILED) throw Error(path, 0, 0, std::string("cannot be mapped: ") + std::strerror(reason));
    return std::shared_ptr<const MappedFile>(new MappedFile(path, static_cast<const std::byte *>(data), size));
}

MappedFile::~MappedFile() {
    if (m_data) munmap(const_cast<std::byte *>(m_data), m_size);
}

} // namespace loopscope
