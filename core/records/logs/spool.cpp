#include "records/logs/spool.h"

#include "base/outcome.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace loopscope {

namespace {

constexpr std::chrono::milliseconds kLook{50}; // at whether it was cancelled
constexpr size_t kReadBytes = size_t{1} << 17;

int namelessFile(const std::string &path) {
    const char *const named = std::getenv("TMPDIR");
    const std::string folder = named != nullptr && *named != '\0' ? named : "/tmp";
    std::string name = folder + "/loopscope-log.XXXXXX";
    const int fd = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd < 0)
        throw Error(path, 0, 0,
                    "the log needs a temporary file for its text, which cannot be made in " + folder + ": " +
                        std::strerror(errno) + "; TMPDIR names another folder");
    ::unlink(name.c_str());
    return fd;
}

} // namespace

Spool::Spool(int input, std::string path, const std::atomic<bool> *cancelled)
    : m_input(input), m_path(std::move(path)), m_cancelled(cancelled), m_fd(namelessFile(m_path)) {
    m_thread = std::thread([this] { run(); });
}

Spool::~Spool() {
    m_stop = true;
    m_thread.join();
    ::close(m_fd);
}

uint64_t Spool::waitFor(uint64_t bytes) {
    std::unique_lock lock(m_mutex);
    while (m_size <= bytes && !m_ended && !stopped()) m_grown.wait_for(lock, kLook);
    if (m_failure) std::rethrow_exception(m_failure);
    return m_size;
}

void Spool::run() {
    std::exception_ptr failure;
    try {
        unpackAll();
    } catch (...) {
        failure = std::current_exception();
    }
    const std::scoped_lock lock(m_mutex);
    m_failure = failure;
    m_ended = true;
    m_grown.notify_all();
}

void Spool::unpackAll() {
    constexpr size_t enough = 4; // to tell what it is
    std::string buffer(kReadBytes, '\0');
    std::string start;
    while (start.size() < enough) {
        const std::string_view some = readSome(buffer);
        if (some.empty()) break;
        start += some;
    }
    const auto unpacker = Unpacker::make(packingOf(start));
    const auto take = [this](std::string_view text) { write(text); };
    for (std::string_view some = start; !some.empty() && !stopped(); some = readSome(buffer)) {
        if (!unpacker) {
            write(some);
        } else if (!unpacker->add(some, take)) {
            break;
        }
    }
    if (unpacker && !stopped()) m_problem = unpacker->problem();
}

std::string_view Spool::readSome(std::string &buffer) const {
    while (!stopped()) {
        // A pipe that was opened without waiting is asked first: nobody may hold its other end.
        if ((::fcntl(m_input, F_GETFL) & O_NONBLOCK) == 0) {
            pollfd ready{m_input, POLLIN, 0};
            if (::poll(&ready, 1, static_cast<int>(kLook.count())) == 0) continue;
        }
        const ssize_t got = ::read(m_input, buffer.data(), buffer.size());
        if (got >= 0) return {buffer.data(), static_cast<size_t>(got)};
        if (errno == EAGAIN) {
            pollfd ready{m_input, POLLIN, 0};
            (void)::poll(&ready, 1, static_cast<int>(kLook.count()));
        } else if (errno != EINTR) {
            throw Error(m_path, 0, 0, std::string("the log cannot be read: ") + std::strerror(errno));
        }
    }
    return {};
}

void Spool::write(std::string_view text) {
    while (!text.empty()) {
        const ssize_t done = ::write(m_fd, text.data(), text.size());
        if (done < 0 && errno == EINTR) continue;
        if (done < 0)
            throw Error(m_path, 0, 0,
                        std::string("the text of the log does not fit into a temporary file: ") + std::strerror(errno) +
                            "; TMPDIR names another folder");
        text.remove_prefix(static_cast<size_t>(done));
        m_size += static_cast<uint64_t>(done);
    }
    const std::scoped_lock lock(m_mutex);
    m_grown.notify_all();
}

} // namespace loopscope
