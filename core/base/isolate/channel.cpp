#include "base/isolate/channel.h"

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

/// What one descriptor takes beside the bytes of a message.
union DescriptorSpace {
    cmsghdr aligned;
    char bytes[CMSG_SPACE(sizeof(int))] = {};
};

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

bool Channel::send(std::string_view message, int descriptor) {
    const uint64_t length = message.size();
    char header[kHeader];
    std::memcpy(header, &length, kHeader);
    iovec parts[2] = {{header, kHeader}, {const_cast<char *>(message.data()), message.size()}};
    msghdr whole{};
    whole.msg_iov = parts;
    whole.msg_iovlen = 2;
    DescriptorSpace space;
    if (descriptor >= 0) {
        whole.msg_control = space.bytes;
        whole.msg_controllen = sizeof space.bytes;
        cmsghdr *const along = CMSG_FIRSTHDR(&whole);
        along->cmsg_level = SOL_SOCKET;
        along->cmsg_type = SCM_RIGHTS;
        along->cmsg_len = CMSG_LEN(sizeof descriptor);
        std::memcpy(CMSG_DATA(along), &descriptor, sizeof descriptor);
    }
    while (whole.msg_iovlen > 0) {
        const ssize_t n = ::sendmsg(m_fd, &whole, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        whole.msg_control = nullptr; // went with the first byte
        whole.msg_controllen = 0;
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

size_t Channel::missing() const {
    if (m_buffer.size() < kHeader) return kHeader - m_buffer.size();
    uint64_t length = 0;
    std::memcpy(&length, m_buffer.data(), kHeader);
    return kHeader + length - m_buffer.size();
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

bool Channel::fill(int flags, bool &wouldBlock, int *descriptor) {
    const size_t had = m_buffer.size();
    // A file comes with the first byte of its message: with one in view nothing of the next message is taken.
    const size_t most = descriptor ? std::min(missing(), kReceiveBlock) : kReceiveBlock;
    m_buffer.resize(had + most);
    iovec block{m_buffer.data() + had, most};
    DescriptorSpace space;
    msghdr received{};
    received.msg_iov = &block;
    received.msg_iovlen = 1;
    if (descriptor) { // without room for it the system closes what was sent
        received.msg_control = space.bytes;
        received.msg_controllen = sizeof space.bytes;
    }
    ssize_t n = 0;
    do {
        n = ::recvmsg(m_fd, &received, flags | MSG_CMSG_CLOEXEC);
    } while (n < 0 && errno == EINTR);
    const cmsghdr *const along = n > 0 && descriptor ? CMSG_FIRSTHDR(&received) : nullptr;
    if (along && along->cmsg_type == SCM_RIGHTS) {
        if (*descriptor >= 0) ::close(*descriptor);
        std::memcpy(descriptor, CMSG_DATA(along), sizeof *descriptor);
    }
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

std::optional<std::string> Channel::receive(int &descriptor) {
    descriptor = -1;
    std::string message;
    while (!takeMessage(message)) {
        bool wouldBlock = false;
        if (fill(0, wouldBlock, &descriptor)) continue;
        if (descriptor >= 0) ::close(descriptor);
        descriptor = -1;
        return std::nullopt;
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
