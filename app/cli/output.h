#pragma once
// Standard output and standard error as every command uses them: what cannot be written is said, a closed stream is
// never taken for a file opened later, and a failure has one form for people and one for scripts.

#include "base/outcome.h"

#include <string>

namespace loopscope {

/// Standard output did not take what was printed. Nothing else is printed there afterwards.
class OutputError : public Error {
  public:
    using Error::Error;
};

/// A failure that the JSON value on standard output names already.
class ReportedError : public Error {
  public:
    using Error::Error;
};

/// Before anything is opened: gives closed standard streams a descriptor that is no file, so that no log is opened as
/// number 2, and makes a write beyond a file size limit fail instead of ending the process.
void prepareStandardStreams();

/// What is said when this process finds no memory: for which job, how much it took, of how much.
Error outOfMemory(const std::string &job);

/// All of it to standard output, where no text of a file is obeyed (shown_text.h). Throws OutputError.
void writeOutput(const std::string &text);

/// A line, or text with its newlines, on standard error: the one way there, on which no text of a file is obeyed and
/// lines that nobody reads are cut.
void sayLine(const std::string &line);
void sayText(const std::string &text);
/// What is replaced by whatever is said next, on a terminal alone; empty: gone.
void sayLive(const std::string &text);

/// One sentence on standard error, with `excerpt` below it; with `json` also one value on standard output:
/// {"error": sentence}, and "file", "line", "column" where the failure has a place. Returns the exit code: `code`.
int reportFailure(const std::exception &failure, bool json, int code);

} // namespace loopscope
