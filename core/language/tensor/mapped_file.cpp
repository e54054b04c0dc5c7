#include "language/tensor/mapped_file.h"

#include "base/outcome.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace loopscope {

/// What a handler of signals may look at: it takes no lock.
struct MappedFile::Range {
    std::atomic<uintptr_t> begin{0}; // 0: free
    std::atomic<uintptr_t> end{0};
    std::atomic<bool> lost{false};
    const MappedFile *file = nullptr; // read and written under the lock
};

namespace {

/// Of the memory there is, so that much is read. What is larger is mapped: there is no room for a copy.
constexpr size_t kMaxOfMemory = 4; // a fourth

const size_t kPageBytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));

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

std::string shortenedText(const std::string &path) {
    return Error(path, 0, 0, "became shorter while it was open, as by an export; open it again").what();
}

} // namespace

/// Files that are mapped at a time: a network has few files of data, and a plan one.
struct MappedRanges {
    static constexpr size_t kMost = 256;
    std::array<MappedFile::Range, kMost> ranges;
    std::atomic<uint64_t> losses{0};
    std::mutex lock; // of what follows, and of taking a range
    std::string lastLost;
    struct sigaction before{};
    bool handles = false;
};

size_t MappedFile::maxBytesCopied() { return static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * kPageBytes / kMaxOfMemory; }

std::shared_ptr<const MappedFile> MappedFile::open(const std::string &path, size_t maxCopied) {
    // Without waiting for the other end of a named pipe.
    const OpenedFile file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file.fd < 0) throw Error(path, 0, 0, std::string("cannot be opened: ") + std::strerror(errno));
    struct stat status{};
    if (fstat(file.fd, &status) != 0 || !S_ISREG(status.st_mode)) throw Error(path, 0, 0, "is not a file");
    const auto size = static_cast<size_t>(status.st_size);
    const bool copied = size <= maxCopied;
    void *data = nullptr;
    if (size > 0)
        data =
            copied ? readInto(file.fd, size, path) : mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0); // stays
    if (data == MAP_FAILED) throw Error(path, 0, 0, std::string("cannot be mapped: ") + std::strerror(errno));
    return std::shared_ptr<const MappedFile>(new MappedFile(path, static_cast<const std::byte *>(data), size, copied));
}

namespace {

/// Never destroyed: whatever is mapped may be read until the process ends.
MappedRanges &mappedRanges() {
    static auto &ranges = *new MappedRanges;
    return ranges;
}

/// SIGBUS of a read behind the end of a mapped file: the page becomes zeros, and its reader goes on to where somebody
/// looks at LossWatch. Any other goes to whom it went before.
void fillLostPage(int signal, siginfo_t *info, void *) {
    MappedRanges &all = mappedRanges();
    const auto at = reinterpret_cast<uintptr_t>(info->si_addr);
    for (MappedFile::Range &range : all.ranges) {
        const uintptr_t begin = range.begin.load();
        if (begin == 0 || at < begin || at >= range.end.load()) continue;
        void *page = reinterpret_cast<void *>(at / kPageBytes * kPageBytes);
        if (mmap(page, kPageBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) break;
        range.lost = true;
        ++all.losses;
        return;
    }
    ::sigaction(signal, &all.before, nullptr); // the read is tried again
}

} // namespace

MappedFile::MappedFile(std::string path, const std::byte *data, size_t size, bool copied)
    : m_path(std::move(path)), m_data(data), m_size(size) {
    if (copied) return;
    MappedRanges &all = mappedRanges();
    const std::lock_guard lock(all.lock);
    const auto free = std::ranges::find_if(all.ranges, [](const Range &range) { return range.begin == 0; });
    if (free == all.ranges.end()) {
        munmap(const_cast<std::byte *>(data), size);
        throw Error(m_path, 0, 0, "is one of more large files than are mapped at a time");
    }
    m_range = &*free;
    m_range->file = this;
    m_range->lost = false;
    m_range->end = reinterpret_cast<uintptr_t>(data) + size;
    m_range->begin = reinterpret_cast<uintptr_t>(data);
    if (all.handles) return;
    struct sigaction action{};
    action.sa_sigaction = fillLostPage;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    all.handles = ::sigaction(SIGBUS, &action, &all.before) == 0;
}

MappedFile::~MappedFile() {
    if (m_range != nullptr) {
        MappedRanges &all = mappedRanges();
        const std::lock_guard lock(all.lock);
        if (m_range->lost) all.lastLost = m_path;
        m_range->begin = 0;
        m_range->file = nullptr;
    }
    if (m_data != nullptr) munmap(const_cast<std::byte *>(m_data), m_size);
}

std::span<const std::byte> MappedFile::bytes() const {
    if (m_range != nullptr && m_range->lost) throw Error(shortenedText(m_path));
    return {m_data, m_size};
}

std::string MappedFile::shortened() {
    MappedRanges &all = mappedRanges();
    const std::lock_guard lock(all.lock);
    for (const Range &range : all.ranges) {
        struct stat status{};
        if (range.file == nullptr) continue;
        if (range.lost || (::stat(range.file->m_path.c_str(), &status) == 0 &&
                           static_cast<size_t>(status.st_size) < range.file->m_size))
            return shortenedText(range.file->m_path);
    }
    return {};
}

LossWatch::LossWatch() : m_before(mappedRanges().losses) {}

void LossWatch::check() const {
    MappedRanges &all = mappedRanges();
    if (all.losses == m_before) return;
    const std::string open = MappedFile::shortened();
    const std::lock_guard lock(all.lock);
    throw Error(open.empty() ? shortenedText(all.lastLost) : open);
}

} // namespace loopscope
