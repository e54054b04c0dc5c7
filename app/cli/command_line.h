#pragma once
// Every command and option of loopscope-cli, defined once: parsing, --help, shell completion and the manual page are
// made from this.

#include "apply_command.h"
#include "bench_command.h"
#include "bundle_options.h"
#include "choices_command.h"
#include "compare_command.h"
#include "export_command.h"
#include "group_command.h"
#include "layout_command.h"
#include "log_options.h"
#include "machine_command.h"
#include "measure_command.h"
#include "moves_command.h"
#include "mutate_command.h"
#include "net_options.h"
#include "run_command.h"
#include "schedule_command.h"
#include "shared_options.h"
#include "show_command.h"
#include "targets_command.h"
#include "tune_command.h"
#include "why_command.h"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace loopscope {

class CommandLine : private SharedOptions {
  public:
    CommandLine();
    CommandLine(const CommandLine &) = delete;
    CommandLine &operator=(const CommandLine &) = delete;

    /// Throws CLI::Success when help or the version was asked for, UsageError with one sentence otherwise.
    void parse(int argc, const char *const *argv);
    using SharedOptions::valuesOf;
    /// In the order they were defined.
    [[nodiscard]] std::vector<const CLI::App *> commands() const;
    /// The command of a group that was chosen: "info" of `log info`.
    [[nodiscard]] std::string chosenOf(const char *group) const;
    [[nodiscard]] bool chosen(const char *command) const { return m_app.got_subcommand(command); }
    [[nodiscard]] const CLI::App &app() const { return m_app; }

    TuneOptions tune;
    ShowOptions show;
    ApplyOptions apply;
    MovesOptions moves;
    WhyOptions why;
    MutateOptions mutate;
    MutateOptions complete;
    CompareOptions compare;
    ChoicesOptions choices;
    MeasureCommandOptions measure;
    BenchOptions bench;
    ExportCommandOptions exported;
    ScheduleOptions schedule;
    GroupOptions group;
    LayoutCommandOptions layout;
    RunOptions run;
    BundleCommandOptions bundle;
    MachineCommandOptions machine;
    TargetsCommandOptions targets;
    LogOptions log;
    NetOptions net;
    std::string shell; // of `completion`

  private:
    void addTune();
    void addInspection();
    void addByHand();
    void addChanges();
    void addCompare();
    void addChoices();
    void addExport();
    void addMachine();
    void addTargets();
    void addTexts();
    /// The sentence for what CLI11 refused, with the nearest name when a word was mistyped.
    [[nodiscard]] std::string complaint(const CLI::ParseError &error) const;

    CLI::App m_app;
};

/// A command, by all words that call it.
struct NamedCommand {
    const CLI::App *command = nullptr;
    std::string name;  // "tune", "log info"
    std::string group; // "log"; empty: it is in none
};
/// Groups are left out, their commands are not.
std::vector<NamedCommand> commandsToCall(const CommandLine &line);
/// `--trials`; the name of a positional argument.
std::string optionName(const CLI::Option &option);
inline bool takesValue(const CLI::Option &option) { return option.get_items_expected_max() > 0; }
/// `N` and `1 to 1000000` of an option that takes such a number; either may be empty.
std::pair<std::string, std::string> valueTexts(const CLI::Option &option);

} // namespace loopscope
