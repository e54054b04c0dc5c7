#pragma once
// A worker process and what must hold for it: it dies with this process, it is reaped, it cannot fill a disk or a
// terminal, and what it complained about can be read after its death.

#include "base/isolate/channel.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace loopscope {

inline constexpr int kPollMilliseconds = 50; // how late a cancel or a timeout of a child may be noticed
inline constexpr double kStartTimeout = 60;  // seconds until a new child must know its task

/// The kernel kills a child with PR_SET_PDEATHSIG when the *thread* that forked it ends. So all workers of a measurer
/// are forked by one thread that lives as long as the measurer, whichever thread measures.
class SpawnThread {
  public:
    SpawnThread();
    ~SpawnThread();
    SpawnThread(const SpawnThread &) = delete;
    SpawnThread &operator=(const SpawnThread &) = delete;
    /// Runs `work` on that thread and waits; exceptions come back to the caller.
    void run(const std::function<void()> &work);

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

class ChildProcess {
  public:
    /// Starts `path role` in its own process group with the channel on descriptor 3 and, when >= 0, `dataFd` on 4;
    /// every other descriptor is closed, output goes to a bounded pipe. Throws Error when the program cannot be
    /// started.
    ChildProcess(SpawnThread &spawner, const std::string &path, const std::string &role, int dataFd = -1);
    /// Kills and reaps.
    ~ChildProcess();
    ChildProcess(const ChildProcess &) = delete;
    ChildProcess &operator=(const ChildProcess &) = delete;

    [[nodiscard]] Channel &channel() { return m_channel; }
    [[nodiscard]] pid_t pid() const { return m_pid; }
    enum class Wait : uint8_t { Message, Cancelled, Ended, TimedOut };
    /// Waits for a message, at most `timeout` seconds.
    Wait waitForMessage(std::string &message, double timeout, const std::atomic<bool> *cancel);
    /// Stops it where it is, and everything it started, until goOn.
    void holdStill() const;
    void goOn() const;
    /// Waits for the end of a child that closed its channel (killing it when it lingers) and says how it ended:
    /// "crashed with a segmentation fault: LLVM ERROR: ...", "exited with code 137".
    std::string howItEnded();
    /// After howItEnded, of one that never said anything: "; ..." with what to check where another program may have
    /// been started, else empty.
    [[nodiscard]] std::string startAdvice() const;
    /// After howItEnded: the wait status.
    [[nodiscard]] int status() const { return m_status; }

  private:
    void kill();
    void reap();
    std::string m_path;
    pid_t m_pid = -1;
    int m_status = 0;
    bool m_silent = false; // nothing on standard error
    Channel m_channel;
    int m_stderr = -1; // read end
};

/// `given`, or when empty LOOPSCOPE_WORKER, or `loopscope-worker` beside the running program.
std::string workerProgram(const std::string &given);
/// "segmentation fault (SIGSEGV)".
std::string signalText(int signal);
/// How a process with that wait status ended, as the end of a sentence.
std::string endingText(int status);
/// A pipe whose write end never blocks: what does not fit into its 64 KiB is lost, so a writer without end fills
/// nothing. {read, write}, both close-on-exec. Throws Error.
std::pair<int, int> makeBoundedPipe();
/// The last line with text in it of what lies in a bounded pipe, empty when there is none; control characters removed.
std::string lastLineOf(int readFd);

} // namespace loopscope
