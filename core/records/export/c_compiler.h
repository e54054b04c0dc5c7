#pragma once
// Whatever C compiler is installed, as a program: for what is linked or compiled on behalf of an export.

#include "base/outcome.h"

#include <string>
#include <vector>

namespace loopscope {

/// A temporary folder, gone with everything in it.
class CompilerFolder {
  public:
    CompilerFolder();
    ~CompilerFolder();
    CompilerFolder(const CompilerFolder &) = delete;
    CompilerFolder &operator=(const CompilerFolder &) = delete;
    [[nodiscard]] std::string file(const std::string &name) const { return m_path + "/" + name; }
    /// Why there is none; empty when there is.
    [[nodiscard]] const std::string &problem() const { return m_problem; }

  private:
    std::string m_path;
    std::string m_problem;
};

/// The path of cc, gcc or clang, whichever is found first. Refused, with what to do, when there is none.
Outcome<std::string> compilerHere();
/// The exit code, or -1 when it could not be started; what it printed lands in the file `output`.
int runCompiler(const std::vector<std::string> &words, const std::string &output);
/// The first error of what it printed, or the exit code.
std::string firstComplaint(const std::string &output, int code);

} // namespace loopscope
