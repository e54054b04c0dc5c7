#pragma once
// The commands that make schedules without a search, or run one: their options, defined once for parsing, help,
// completion and the manual.

#include "group_command.h"
#include "run_command.h"
#include "schedule_command.h"
#include "shared_options.h"

#include <CLI/CLI.hpp>

namespace loopscope {

struct SchedulerCommands {
    ScheduleOptions &schedule;
    GroupOptions &group;
    RunOptions &run;
};

void addSchedulerCommands(CLI::App &app, const SchedulerCommands &commands, SharedOptions &shared);
/// `--machine` and `--mode`; `when` says what they belong to, where a command does something else, too.
void addGroupingChoice(CLI::App &command, GroupingChoice &choice, SharedOptions &shared, const char *when);

} // namespace loopscope
