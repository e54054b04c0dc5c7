#include "isolate/channel.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utility>

namespace loopscope {

namespace {

constexpr size_t kHeader = sizeof(uint64_t);
constexpr size_t kReceiveBlock = 1 << 16;

} // namespace

Channel::Channel(Channel &&other) noexcept : m_fd(std::exchange(other.m_fd, -1)), m_buffer(std::move(other.m_buffer)) {}

Channel &Channel::operator=(Channel &&other) noexcept {
    std::swap(m_fd, other.m_fd);
    std::swap(m_buffer, other.m_buffer);
    return *this;
}

void Channel::close() {
    if (m_fd >= 0) ::close(m_fd);
    m_fd = -1;
    m_buffer.clear();
}

bool Channel::send(std::string_view message) {
    const uint64_t length = message.size();
    char header[kHeader];
    std::memcpy(header, &length, kHeader);
    iovec parts[2] = {{header, kHeader}, {const_cast<char *>(message.data()), message.size()}};
    msghdr whole{};
    whole.msg_iov = parts;
    whole.msg_iovlen = 2;
    while (whole.msg_iovlen > 0) {
        const ssize_t n = ::sendmsg(m_fd, &whole, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        auto sent = static_cast<size_t>(n);
        while (whole.msg_iovlen > 0 && sent >= whole.msg_iov->iov_len) {
            sent -= whole.msg_iov->iov_len;
            ++whole.msg_iov;
            --whole.msg_iovlen;
        }
        if (whole.msg_iovlen > 0) {
            whole.msg_iov->iov_base = static_cast<char *>(whole.msg_iov->iov_base) + sent;
            whole.msg_iov->iov_len -= sent;
        }
    }
    return true;
}

bool Channel::takeMessage(std::string &message) {
    if (m_buffer.size() < kHeader) return false;
    uint64_t length = 0;
    std::memcpy(&length, m_buffer.data(), kHeader);
    if (m_buffer.size() - kHeader < length) return false;
    message.assign(m_buffer, kHeader, length);
    m_buffer.erase(0, kHeader + length);
    return true;
}

bool Channel::fill(int flags, bool &wouldBlock) {
    const size_t had = m_buffer.size();
    m_buffer.resize(had + kReceiveBlock);
    ssize_t n = 0;
    do {
        n = ::recv(m_fd, m_buffer.data() + had, kReceiveBlock, flags);
    } while (n < 0 && errno == EINTR);
    wouldBlock = n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    m_buffer.resize(had + static_cast<size_t>(std::max<ssize_t>(n, 0)));
    return n > 0 || wouldBlock;
}

std::optional<std::string> Channel::receive() {
    std::string message;
    while (!takeMessage(message)) {
        bool wouldBlock = false;
        if (!fill(0, wouldBlock)) return std::nullopt;
    }
    return message;
}

Channel::Read Channel::readAvailable(std::string &message) {
    while (!takeMessage(message)) {
        bool wouldBlock = false;
        if (!fill(MSG_DONTWAIT, wouldBlock)) return Read::Closed;
        if (wouldBlock) return Read::Nothing;
    }
    return Read::Message;
}

} // namespace loopscope
