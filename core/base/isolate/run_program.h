#pragma once
// A program of somebody else's, run to its end: what it printed, how it ended, and no longer than allowed. For workers
// of our own, which are talked to, see child_process.h.

#include "base/outcome.h"

#include <cstddef>
#include <string>
#include <vector>

namespace loopscope {

struct ProgramOutput {
    int status = 0;     // as waitpid has it
    std::string output; // of standard output and standard error, as they came; the rest beyond `maxBytes` is lost
    [[nodiscard]] bool succeeded() const { return status == 0; }
};

struct ProgramLimits {
    double timeout = 60; // seconds
    size_t maxBytes = size_t{256} << 20;
};

/// `words`: the path of the program and its arguments; standard input is empty. Refused, with the name of the program,
/// when it cannot be started or does not end in time (it is killed then, with what it started).
Outcome<ProgramOutput> runProgram(const std::vector<std::string> &words, const ProgramLimits &limits = {});

/// A folder for files that a program reads and writes, of a name nobody else has; gone with everything in it. Throws
/// Error where none can be made.
class WorkFolder {
  public:
    explicit WorkFolder(const std::string &purpose); // stands in its name
    ~WorkFolder();
    WorkFolder(const WorkFolder &) = delete;
    WorkFolder &operator=(const WorkFolder &) = delete;
    [[nodiscard]] std::string file(const std::string &name) const { return m_path + "/" + name; }

  private:
    std::string m_path;
};

} // namespace loopscope
