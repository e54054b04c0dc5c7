#include "scheduler_options.h"

#include "validators.h"

#include <fmt/format.h>

namespace loopscope {

namespace {

void addGroup(CLI::App &app, GroupOptions &group, SharedOptions &shared) {
    auto &command = *app.add_subcommand(
        "group", "group the stages of a pipeline without measuring: which are computed together, tile by tile");
    shared.addWorkload(command, group.workload);
    addGroupingChoice(command, group.grouping, shared, "");
    shared
        .words(command.add_option("--as", group.as,
                                  "decisions with the loops they come to, or the schedule as a script alone, which "
                                  "measure, compare and export take"),
               {"decisions", "script"})
        ->capture_default_str();
}

void addSchedule(CLI::App &app, ScheduleOptions &schedule, SharedOptions &shared) {
    auto &command = *app.add_subcommand(
        "schedule", "make a schedule by any of the schedulers, print it, and with --measure check and time it");
    shared.addWorkload(command, schedule.workload);
    shared
        .words(command.add_option("--by", schedule.by,
                                  "grouping: stages are computed in the tiles of those that read them, nothing is "
                                  "measured; search: the best of what is measured; naive: the loops as the workload "
                                  "has them"),
               {"grouping", "search", "naive"})
        ->type_name("SCHEDULER")
        ->required();
    addGroupingChoice(command, schedule.grouping, shared, "of --by grouping: ");
    command.add_option("--trials", schedule.trials, "of --by search: candidates to measure (64 when not given)")
        ->type_name("N")
        ->check(wholeNumber(1, 1000000));
    command
        .add_option("--seed", schedule.seed,
                    "of the inputs that answers are checked on, and of the search (0 when not given)")
        ->type_name("N")
        ->check(anyWholeNumber());
    command
        .add_option("--time-limit", schedule.timeLimit,
                    "of --by search: stop after so many seconds (no limit when not given)")
        ->type_name("SECONDS")
        ->check(numberOfSeconds());
    shared
        .words(command.add_option("--as", schedule.as,
                                  "what is printed: a script, the steps, a record of a log, json (as --json), or a "
                                  "format of export that is one file of text"),
               scheduleForms())
        ->type_name("FORM")
        ->capture_default_str();
    command.add_flag("--measure", schedule.measure, "build it, check its answer and time it, as every candidate");
    shared
        .file(command.add_option("--log", schedule.log, "append what is measured to this file, in Ansor's log format"),
              ".json")
        ->check(fileName());
    shared.addRunner(command, schedule.runner);
}

void addRun(CLI::App &app, RunOptions &run, SharedOptions &shared) {
    auto &command = *app.add_subcommand(
        "run", "compute a workload on pictures or arrays of your own: stage by stage, or by the kernel of a schedule");
    shared.addWorkload(command, run.workload);
    const auto values = [&](const char *name, std::vector<std::string> &texts, const char *what) {
        command.add_option(name, texts, what)->type_name("NAME=FILE")->take_all()->allow_extra_args(false);
    };
    values("--input", run.inputs, "an input from a picture (.png) or an array (.npy); one for each input");
    values("--output", run.outputs, "a stage's values to a picture or an array; outputs and any stage on the way");
    command.add_flag("--stretch", run.stretch, "paint the least value of a picture black and the greatest white");
    auto *by = shared
                   .words(command.add_option("--by", run.by,
                                             "run the kernel of this schedule instead of the interpreter, which "
                                             "computes the outputs alone: as schedule --by makes it"),
                          {"grouping", "naive"})
                   ->type_name("SCHEDULER");
    addGroupingChoice(command, run.grouping, shared, "of --by grouping: ");
    shared.addRecord(command, run.record);
    shared.addScript(command, run.record.script)->excludes("--log");
    by->excludes("--log")->excludes("--script");
    command.add_flag("--check", run.check,
                     "compare the kernel's outputs with the interpreter's however long that takes; by itself it is "
                     "done where it takes seconds");
}

} // namespace

void addGroupingChoice(CLI::App &command, GroupingChoice &choice, SharedOptions &shared, const char *when) {
    command
        .add_option("--machine", choice.machine,
                    fmt::format("{}parallel tasks wanted, bytes of the last level cache (k and M may follow), cost of "
                                "a byte from memory in operations; or halide ({}, when not given), detect (four tasks "
                                "for each core of the target, and its caches), small or server",
                                when, machineParametersText({})))
        ->type_name("P,L,B|NAME");
    shared
        .words(command.add_option("--mode", choice.mode,
                                  fmt::format("{}compat: the decisions of Halide's scheduler of Mullapudi et al. 2016, "
                                              "to the integer; fixed (when not given): the same search, which knows "
                                              "what a core keeps in its cache and its registers",
                                              when)),
               {"compat", "fixed"})
        ->type_name("MODE");
}

void addSchedulerCommands(CLI::App &app, const SchedulerCommands &commands, SharedOptions &shared) {
    addSchedule(app, commands.schedule, shared);
    addGroup(app, commands.group, shared);
    addRun(app, commands.run, shared);
}

} // namespace loopscope
