#pragma once
// A command of the user's that has a bundle run somewhere (`make`, ssh, a batch system), while its results are looked
// for. What it prints goes to standard error. Internal to bundle.

#include <optional>
#include <string>
#include <sys/types.h>

namespace loopscope {

class CommandRun {
  public:
    /// By the shell. Throws Error when it cannot be started.
    explicit CommandRun(const std::string &command);
    /// Ends it, with what it started, where it has not ended.
    ~CommandRun();
    CommandRun(const CommandRun &) = delete;
    CommandRun &operator=(const CommandRun &) = delete;
    /// Its wait status, once it has ended.
    [[nodiscard]] std::optional<int> ended();

  private:
    pid_t m_pid = -1;
    std::optional<int> m_status;
};

/// The command with every `{}` replaced by the folder, as one word of the shell; where there is none the folder is its
/// last word.
std::string commandFor(const std::string &command, const std::string &folder);

} // namespace loopscope
