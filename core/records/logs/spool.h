#pragma once
// Text that cannot be read by place, from an archive or a pipe, goes once into a file without a name, which ends with
// the process at the latest. Whoever reads it need not wait for the rest.

#include "records/record/unpacker.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace loopscope {

class Spool {
  public:
    /// Reads `input` to its end, unless cancelled, in a thread of its own; `path` is named in sentences. Throws Error
    /// when there is no room for temporary files. The input stays open, and must as long as the spool lives.
    Spool(int input, std::string path, const std::atomic<bool> *cancelled);
    ~Spool();
    Spool(const Spool &) = delete;
    Spool &operator=(const Spool &) = delete;

    [[nodiscard]] int fd() const { return m_fd; }
    /// Waits until there are more than `bytes`, or no more come: how many there are. Throws Error.
    uint64_t waitFor(uint64_t bytes);
    [[nodiscard]] bool ended() const { return m_ended; }
    /// Behind the end: why the text is not whole; empty when it is.
    [[nodiscard]] const std::string &problem() const { return m_problem; }

  private:
    [[nodiscard]] bool stopped() const { return m_stop || (m_cancelled != nullptr && *m_cancelled); }
    void run();
    void unpackAll();
    /// Nothing at the end, and when stopped.
    std::string_view readSome(std::string &buffer) const;
    void write(std::string_view text);

    int m_input;
    std::string m_path;
    const std::atomic<bool> *m_cancelled;
    int m_fd = -1;
    std::mutex m_mutex;
    std::condition_variable m_grown;
    std::atomic<uint64_t> m_size = 0;
    std::atomic<bool> m_ended = false;
    std::atomic<bool> m_stop = false;
    std::string m_problem;
    std::exception_ptr m_failure;
    std::thread m_thread;
};

} // namespace loopscope
