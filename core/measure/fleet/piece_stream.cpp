#include "measure/fleet/piece_stream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace loopscope {

namespace {

// A piece: what it is, how long, and so many bytes.
constexpr char kMore = 'm'; // of a message that goes on
constexpr char kLast = 'l'; // of a message that ends with it
constexpr char kTaken = 't';
constexpr char kAlive = 'a'; // are you there?
constexpr char kYes = 'y';
constexpr size_t kHeader = 3;
constexpr size_t kPieceToNode = 900; // with its header in one message of Slurm's
constexpr size_t kPieceFromNode = 32768;
constexpr size_t kLargestMessage = size_t{256} << 20;

} // namespace

bool PieceStream::put(char kind, std::string_view payload) {
    std::string piece(kHeader, kind);
    const auto size = static_cast<uint16_t>(payload.size());
    std::memcpy(piece.data() + 1, &size, sizeof size);
    piece.append(payload);
    for (size_t sent = 0; sent < piece.size();) {
        const ssize_t n = ::write(m_out, piece.data() + sent, piece.size() - sent);
        if (n >= 0) {
            sent += static_cast<size_t>(n);
        } else if (errno == EAGAIN) {
            pollfd writable{m_out, POLLOUT, 0};
            ::poll(&writable, 1, 1000);
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

bool PieceStream::sendWaiting() {
    while (!m_waiting.empty() && !m_unacknowledged) {
        const std::string piece = std::move(m_waiting.front());
        m_waiting.pop_front();
        if (!put(piece[0], std::string_view(piece).substr(1))) return false;
        m_unacknowledged = m_end == End::Controller;
    }
    return true;
}

bool PieceStream::send(std::string_view message) {
    const size_t largest = m_end == End::Controller ? kPieceToNode : kPieceFromNode;
    const std::lock_guard lock(m_writing);
    do {
        const size_t size = std::min(largest, message.size());
        m_waiting.push_back((size == message.size() ? kLast : kMore) + std::string(message.substr(0, size)));
        message.remove_prefix(size);
    } while (!message.empty());
    return sendWaiting();
}

bool PieceStream::ping() {
    const std::lock_guard lock(m_writing);
    return put(kAlive, {});
}

bool PieceStream::takePieces() {
    size_t at = 0;
    bool goesOn = true;
    while (goesOn && m_arrived.size() - at >= kHeader) {
        const char kind = m_arrived[at];
        uint16_t size = 0;
        std::memcpy(&size, m_arrived.data() + at + 1, sizeof size);
        if (std::strchr("mltay", kind) == nullptr || kind == '\0') {
            const std::string start = m_arrived.substr(at, m_arrived.find('\n', at) - at).substr(0, 120);
            std::string words;
            for (const char c : start) words += static_cast<unsigned char>(c) >= 0x20 && c != 0x7f ? c : ' ';
            m_problem = fmt::format("it says what no worker of Loopscope says: {}", words);
            return false;
        }
        if (m_arrived.size() - at < kHeader + size) break;
        const std::string_view payload(m_arrived.data() + at + kHeader, size);
        at += kHeader + size;
        switch (kind) {
        case kMore:
        case kLast: {
            m_message.append(payload);
            if (m_message.size() > kLargestMessage) {
                m_problem = "a message of it has no end";
                return false;
            }
            if (kind == kLast) m_messages.push_back(std::exchange(m_message, {}));
            const std::lock_guard lock(m_writing);
            if (m_end == End::Node) goesOn = put(kTaken, {});
            break;
        }
        case kTaken: {
            const std::lock_guard lock(m_writing);
            m_unacknowledged = false;
            goesOn = sendWaiting();
            break;
        }
        case kAlive: {
            const std::lock_guard lock(m_writing);
            goesOn = put(kYes, {});
            break;
        }
        default:
            break;
        }
    }
    m_arrived.erase(0, at);
    return goesOn;
}

bool PieceStream::pump() {
    char block[65536];
    while (true) {
        const ssize_t n = ::read(m_in, block, sizeof block);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) break;
        if (n <= 0) {
            takePieces(); // what it said last
            return false;
        }
        m_heard += static_cast<uint64_t>(n);
        m_arrived.append(block, static_cast<size_t>(n));
        if (!takePieces()) return false;
    }
    return true;
}

std::optional<std::string> PieceStream::take() {
    if (m_messages.empty()) return std::nullopt;
    std::string message = std::move(m_messages.front());
    m_messages.pop_front();
    return message;
}

} // namespace loopscope
