#pragma once
// The text of a log: a file that stays where it is, read by place and never mapped, so that only what is looked at
// takes memory.

#include "records/logs/spool.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace loopscope {

class LogSource {
  public:
    /// "-" is standard input. `cancelled` ends the wait for an archive or a pipe. Throws Error.
    explicit LogSource(const std::string &path, const std::atomic<bool> *cancelled = nullptr);
    ~LogSource();
    LogSource(const LogSource &) = delete;
    LogSource &operator=(const LogSource &) = delete;

    /// Waits until the text has more than `bytes`, or ends: how many it has.
    uint64_t waitFor(uint64_t bytes);
    /// Of the text in bytes; 0 while it is not known.
    [[nodiscard]] uint64_t size() const;
    /// Once all of it is there: why it is not whole; empty when it is.
    [[nodiscard]] std::string problem() const { return m_spool ? m_spool->problem() : std::string(); }
    /// As many as there are. Throws Error when the disk refuses.
    size_t read(uint64_t at, char *into, size_t bytes) const;
    /// Throws Error when the file has become shorter.
    [[nodiscard]] std::string text(uint64_t begin, uint64_t end) const;

    enum class Change { None, Grown, Replaced };
    /// Looks at the file again; `waitFor` then knows what was appended.
    Change look();

  private:
    [[nodiscard]] uint64_t fingerprint() const;
    /// Why it cannot be read; empty when it can.
    std::string prepare(const std::atomic<bool> *cancelled);

    std::string m_path;
    int m_fd = -1;
    std::unique_ptr<Spool> m_spool;
    uint64_t m_size = 0;
    uint64_t m_fingerprint = 0; // of how what was known begins and ends
};

} // namespace loopscope
