#pragma once
// Messages over two descriptors that somebody else's program carries, as srun carries standard input and output of a
// step. Slurm passes input on in messages of its own of a kilobyte and drops what a busy step has not taken, so what
// goes to a node goes in small pieces, each sent when the one before was acknowledged; what comes from it needs none
// of that. Either end also hears of the other's being alive.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace loopscope {

class PieceStream {
  public:
    enum class End : uint8_t {
        Controller, // waits for acknowledgements, and asks whether the other is there
        Node,
    };
    /// `in` is read and must not block; `out` is written. Both stay the caller's.
    PieceStream(int in, int out, End end) : m_in(in), m_out(out), m_end(end) {}

    /// Goes out as pieces are acknowledged. Any thread. False when the other end is gone.
    bool send(std::string_view message);
    /// From the controller: asks for a sign of life. Any thread.
    bool ping();
    /// Takes what has arrived, acknowledges it, sends what may go out. False when the other end is gone, or what came
    /// is not of this kind (`problem` says what).
    bool pump();
    /// The next message that is whole.
    std::optional<std::string> take();
    [[nodiscard]] const std::string &problem() const { return m_problem; }
    /// Of bytes that came; whoever waits for a sign of life looks whether it grows.
    [[nodiscard]] uint64_t heard() const { return m_heard; }

  private:
    bool put(char kind, std::string_view payload); // m_writing is held
    bool sendWaiting();                            // likewise
    bool takePieces();

    int m_in;
    int m_out;
    End m_end;
    std::mutex m_writing;
    std::deque<std::string> m_waiting; // pieces with their kind in front
    bool m_unacknowledged = false;
    std::string m_arrived;
    std::string m_message; // that is arriving
    std::deque<std::string> m_messages;
    std::string m_problem;
    uint64_t m_heard = 0;
};

} // namespace loopscope
