#pragma once
// A program that is talked to over its standard input and output, as `srun` is: it dies with this process, is reaped,
// and what it complained about can be read. (Workers of our own on this machine: child_process.h.)

#include "base/isolate/child_process.h"
#include "base/outcome.h"

#include <csignal>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace loopscope {

class PipedChild {
  public:
    /// `words`: a program, found as a shell would, and its arguments. `atDeath`: what it is sent when this process, or
    /// the spawner, ends. Refused, with the program's name, when it cannot be started.
    static Outcome<std::unique_ptr<PipedChild>> start(SpawnThread &spawner, const std::vector<std::string> &words,
                                                      int atDeath = SIGKILL);
    /// Closes its input, gives it `patience` seconds to end, then kills it and all that it started.
    ~PipedChild();
    PipedChild(const PipedChild &) = delete;
    PipedChild &operator=(const PipedChild &) = delete;

    [[nodiscard]] int input() const { return m_input; }   // that it reads; -1: closed
    [[nodiscard]] int output() const { return m_output; } // that it writes; does not block
    void closeInput();
    void signal(int number) const;
    /// Of its standard error, every line that has come whole since the last call.
    [[nodiscard]] std::vector<std::string> complaints();
    /// Whether it has ended; reaps it then.
    [[nodiscard]] bool ended();
    /// After it ended: "exited with code 1: srun: error: ...".
    [[nodiscard]] std::string howItEnded();
    [[nodiscard]] int status() const { return m_status; }
    [[nodiscard]] pid_t pid() const { return m_pid; }
    double patience = 2; // seconds

  private:
    PipedChild() = default;
    pid_t m_pid = -1;
    bool m_reaped = false;
    int m_status = 0;
    int m_input = -1;
    int m_output = -1;
    int m_errors = -1;
    std::string m_rest;     // of a line that has not ended
    std::string m_lastLine; // with text in it
};

} // namespace loopscope
