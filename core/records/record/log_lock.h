#pragma once
// One writer a log: an advisory lock (flock) that ends with the descriptor, thus with the process, so that none is ever
// left behind. Readers take none.

#include "base/outcome.h"

#include <optional>
#include <string>

namespace loopscope {

struct LogHolder {
    int pid = 0;         // 0: not known
    std::string program; // "loopscope-cli"; empty: not known
};

/// Another process, or another search of this one, writes the log.
class LogBusy final : public Error {
  public:
    LogBusy(const std::string &path, LogHolder holder);
    [[nodiscard]] const LogHolder &holder() const { return m_holder; }
    [[nodiscard]] bool byThisProcess() const;

  private:
    LogHolder m_holder;
};

/// Who writes the log now; nothing when nobody does, or there is no log.
std::optional<LogHolder> logHolder(const std::string &path);

/// Locks the open file; a pipe, a device, or a file system that has no locks is left unlocked. Throws LogBusy.
void lockLog(int fd, const std::string &path);

} // namespace loopscope
