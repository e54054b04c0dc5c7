#pragma once
// Framed messages over one end of a socket pair: 8 bytes of length, then the message. The parent polls the descriptor
// and reads what is there; a worker waits for whole messages.

#include <optional>
#include <string>
#include <string_view>

namespace loopscope {

class Channel {
  public:
    Channel() = default;
    explicit Channel(int fd) : m_fd(fd) {}
    ~Channel() { close(); }
    Channel(Channel &&other) noexcept;
    Channel &operator=(Channel &&other) noexcept;

    [[nodiscard]] int fd() const { return m_fd; }
    void close();

    /// False when the other end is gone. `descriptor` >= 0: the other end is given that file too, under a number of its
    /// own, and takes it with receive(descriptor).
    bool send(std::string_view message, int descriptor = -1);
    /// Waits for a whole message; nothing when the other end is gone. Files sent along are refused.
    std::optional<std::string> receive();
    /// The same; `descriptor` is the file sent with the message, which the caller closes, or -1. Only for a process
    /// that trusts the other end.
    std::optional<std::string> receive(int &descriptor);

    enum class Read { Nothing, Message, Closed };
    /// Takes what has arrived without waiting; Message when a whole one is now in `message`.
    Read readAvailable(std::string &message);

  private:
    bool takeMessage(std::string &message);
    /// Bytes until the message that is arriving is whole, or until its length is known.
    [[nodiscard]] size_t missing() const;
    /// One recv into m_buffer; false when the other end is gone. `wouldBlock` is set when nothing was there.
    bool fill(int flags, bool &wouldBlock, int *descriptor = nullptr);

    int m_fd = -1;
    std::string m_buffer; // received, not yet taken
};

} // namespace loopscope
