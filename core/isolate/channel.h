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

    /// False when the other end is gone.
    bool send(std::string_view message);
    /// Waits for a whole message; nothing when the other end is gone.
    std::optional<std::string> receive();

    enum class Read { Nothing, Message, Closed };
    /// Takes what has arrived without waiting; Message when a whole one is now in `message`.
    Read readAvailable(std::string &message);

  private:
    bool takeMessage(std::string &message);
    /// One recv into m_buffer; false when the other end is gone. `wouldBlock` is set when nothing was there.
    bool fill(int flags, bool &wouldBlock);

    int m_fd = -1;
    std::string m_buffer; // received, not yet taken
};

} // namespace loopscope
