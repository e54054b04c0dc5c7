#include "codegen/runtime/loaded_kernel.h"

#include "base/outcome.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace loopscope {

GuardedBuffer::GuardedBuffer(size_t bytes, bool alignFront) : m_bytes(bytes) {
    const size_t page = size_t(sysconf(_SC_PAGESIZE));
    const size_t inside = (std::max<size_t>(bytes, 1) + page - 1) / page * page;
    m_mapBytes = inside + 2 * page;
    m_map = mmap(nullptr, m_mapBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (m_map == MAP_FAILED) {
        m_map = nullptr;
        throw Error("cannot reserve " + std::to_string(m_mapBytes) + " bytes for a buffer: " + std::strerror(errno));
    }
    char *first = static_cast<char *>(m_map) + page;
    if (mprotect(first, inside, PROT_READ | PROT_WRITE) != 0) {
        const std::string cause = std::strerror(errno);
        munmap(m_map, m_mapBytes);
        throw Error("cannot make " + std::to_string(inside) + " bytes of a buffer writable: " + cause);
    }
    m_data = alignFront ? first : first + (inside - bytes);
}

GuardedBuffer::~GuardedBuffer() {
    if (m_map) munmap(m_map, m_mapBytes);
}

GuardedBuffer::GuardedBuffer(GuardedBuffer &&other) noexcept
    : m_map(std::exchange(other.m_map, nullptr)), m_mapBytes(other.m_mapBytes),
      m_data(std::exchange(other.m_data, nullptr)), m_bytes(other.m_bytes) {}

GuardedBuffer &GuardedBuffer::operator=(GuardedBuffer &&other) noexcept {
    std::swap(m_map, other.m_map);
    std::swap(m_mapBytes, other.m_mapBytes);
    std::swap(m_data, other.m_data);
    std::swap(m_bytes, other.m_bytes);
    return *this;
}

} // namespace loopscope
