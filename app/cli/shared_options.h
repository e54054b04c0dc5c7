#pragma once
// Options that several commands have, and what may stand for an option's value.

#include "choice.h"
#include "runner_choice.h"

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

namespace loopscope {

/// What may stand for an option's value, as far as a shell can offer it.
struct OptionValues {
    std::vector<std::string> words; // one of these
    bool list = false;              // several of them, with commas between
    bool file = false;              // a file ...
    std::string suffix;             // ... whose name ends so; empty: any
};

class SharedOptions {
  public:
    CLI::Option *words(CLI::Option *option, std::vector<std::string> words, bool list = false);
    CLI::Option *file(CLI::Option *option, const std::string &suffix);
    void addWorkload(CLI::App &command, WorkloadChoice &choice);
    void addWorkloadOptions(CLI::App &command, WorkloadChoice &choice);
    void addRecord(CLI::App &command, RecordChoice &choice);
    void addRunner(CLI::App &command, RunnerChoice &choice);
    CLI::Option *addScript(CLI::App &command, std::string &script);
    /// `of`: what keeps what is locked.
    static void addLocks(CLI::App &command, std::vector<std::string> &locks, const char *of);
    [[nodiscard]] const OptionValues &valuesOf(const CLI::Option &option) const;

  protected:
    std::map<const CLI::Option *, OptionValues> m_values;
};

} // namespace loopscope
