#include "command_line.h"

#include "base/nearest_name.h"
#include "scheduler_options.h"
#include "search/moves/mutate_schedule.h"
#include "validators.h"

#include <algorithm>
#include <fmt/format.h>

namespace loopscope {

namespace {

std::vector<std::string> longNames(const CLI::App &command) {
    std::vector<std::string> names;
    for (const CLI::Option *option : command.get_options())
        for (const auto &name : option->get_lnames()) names.push_back("--" + name);
    return names;
}

/// "tune", "log info".
std::string calledBy(const CLI::App &command) {
    const CLI::App *group = command.get_parent();
    return group != nullptr && group->get_parent() != nullptr ? group->get_name() + " " + command.get_name()
                                                              : command.get_name();
}

/// The first word a command could not place, and what it could have been.
std::string unknownWord(const CLI::App &command) {
    for (const std::string &word : command.remaining()) {
        if (!word.starts_with('-') || word.size() == 1) continue;
        const std::string name = word.substr(0, word.find('='));
        return fmt::format("{} has no option {}{}", calledBy(command), name, suggestion(name, longNames(command)));
    }
    return {};
}

std::vector<std::string> namesOfCommands(const CLI::App &group) {
    std::vector<std::string> names;
    for (const CLI::App *command : group.get_subcommands({})) names.push_back(command->get_name());
    return names;
}

/// The innermost one: `info` of `log info`.
const CLI::App &chosenCommand(const CLI::App &app) {
    const CLI::App *command = &app;
    while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
    return *command;
}

} // namespace

CommandLine::CommandLine() : m_app("Loopscope: search, inspect and measure loop schedules of tensor programs") {
    m_app.name("loopscope-cli");
    m_app.require_subcommand(0, 1); // at least one: checked in parse, after unknown words were named
    m_app.set_help_flag("-h,--help", "print this help");
    m_app.set_version_flag("--version", "loopscope-cli 0.1", "print the version");
    addTune();
    addInspection();
    addSchedulerCommands(m_app, {schedule, group, run}, *this);
    addLayoutCommand(m_app, layout, *this);
    addByHand();
    addChanges();
    addCompare();
    addChoices();
    addExport();
    addBundleCommands(m_app, bundle, m_values);
    addMachine();
    addTargets();
    addLogCommands(m_app, log, m_values);
    addNetCommands(m_app, net, m_values);
    addTexts();
}

void CommandLine::addTune() {
    auto &command = *m_app.add_subcommand("tune", "search for a fast schedule; every candidate is checked and logged");
    file(
        command.add_option("file", tune.files,
                           "workload file (.te), or FILE:NAME=VALUE,... with parameters; several are searched in turn"),
        ".te")
        ->required();
    addWorkloadOptions(command, tune.workload);
    command
        .add_option("--trials", tune.search.trials,
                    "candidates to measure, of each workload; with --layouts, of all layouts together")
        ->type_name("N")
        ->capture_default_str()
        ->check(wholeNumber(1, 1000000));
    command
        .add_option("--seed", tune.search.seed,
                    "same seed, same candidates of a round in the same order; from the second round on they also "
                    "depend on what was measured")
        ->type_name("N")
        ->capture_default_str()
        ->check(anyWholeNumber());
    file(command.add_option("--log", tune.log, "append every trial to this file, in Ansor's log format"), ".json")
        ->check(fileName());
    auto *startFrom =
        file(command.add_option("--start-from", tune.startFrom,
                                "measured first and bred from: a schedule script, 'grouping' (as schedule --by makes "
                                "it), 'naive', LOG:NUMBER or LOG:best; may be repeated"),
             ".schedule")
            ->take_all()
            ->allow_extra_args(false) // what follows the value is the next file
            ->check(fileName());
    startFrom->type_name("FILE|grouping|naive|LOG:RECORD");
    addLocks(command, tune.locks, "what every candidate keeps of the schedule in --start-from");
    command
        .add_option("--group", tune.group,
                    "search this group of the grouping alone, named by the stage it ends in, or these stages; all "
                    "others keep what the schedule in --start-from, or the grouping, has for them")
        ->type_name("STAGE|STAGE,STAGE")
        ->check(fileName());
    addGroupingChoice(command, tune.grouping, *this, "of the grouping in --start-from and --group: ");
    command.add_flag("--resume", tune.resume, "continue from the trials already in the log");
    command
        .add_option("--threads", tune.search.threads,
                    "threads of the search and of compilation (0 = all cores); a kernel's cores belong to the target")
        ->type_name("N")
        ->capture_default_str()
        ->check(wholeNumber(0, 1024));
    command
        .add_option(
            "--time-limit", tune.search.timeLimitSeconds,
            "stop after so many seconds, of all workloads, computing the reference answer included (0 = no limit, but "
            "600 for the reference)")
        ->type_name("SECONDS")
        ->capture_default_str()
        ->check(numberOfSeconds());
    auto *layout = command
                       .add_option("--layout-rewrite", tune.layoutRewrite,
                                   "weights: 0 stay as they are (GPUs, when not given), 1 are packed by the kernel at "
                                   "every call, 2 arrive packed (processors, when not given)")
                       ->type_name("N")
                       ->check(wholeNumber(0, 2));
    m_values[layout].words = {"0", "1", "2"};
    words(command.add_option("--layouts", tune.layouts,
                             "try: the workload rewritten for other layouts of its tensors is searched beside it, the "
                             "best few of what `layout` chooses from; they share the trials, and the best of all wins"),
          {"try"});
    command
        .add_option("--layout-alternatives", tune.layoutAlternatives,
                    fmt::format("of --layouts try: so many other layouts at most ({} when not given)",
                                TuneOptions::kLayoutAlternatives))
        ->type_name("N")
        ->check(wholeNumber(1, 32));
    command
        .add_option("--trials-per-round", tune.search.trialsPerRound,
                    fmt::format("measured before the model is retrained and the next candidates are chosen (0 = a "
                                "quarter of what was measured, at least {}, at most {})",
                                SearchOptions::kSmallestRound, SearchOptions::kLargestRound))
        ->type_name("N")
        ->capture_default_str()
        ->check(wholeNumber(0, 1024));
    words(command.add_option("--task-order", tune.taskOrder,
                             "which of several workloads has the next round: each in turn, where the sum of times "
                             "promises to fall fastest by Ansor's rule, or where a second of search is expected to "
                             "gain most"),
          {"round-robin", "gradient", "gain"})
        ->type_name("ORDER")
        ->capture_default_str();
    addRunner(command, tune.runner);
    command
        .add_option("--bundle-command", tune.runner.bundleCommand,
                    "has each round of --runner bundle:DIR run, '{}' being its folder: 'make -C {} run', a script with "
                    "ssh or a batch system; without it somebody is waited for who does")
        ->type_name("COMMAND");
    command.add_flag("--random-model", tune.search.randomModel, "rank candidates by chance, to compare with");
}

void CommandLine::addInspection() {
    auto &showCommand = *m_app.add_subcommand("show", "print a workload, its sketches, or a schedule's loops and code");
    addWorkload(showCommand, show.workload);
    addRecord(showCommand, show.record);
    addScript(showCommand, show.record.script)->excludes("--log");
    words(showCommand.add_option("--as", show.as, "what to print"), showForms())->type_name("FORM")->required();

    auto &measureCommand = *m_app.add_subcommand("measure", "measure a record of a log again, or a schedule by hand");
    addWorkload(measureCommand, measure.workload);
    addRecord(measureCommand, measure.record);
    addScript(measureCommand, measure.record.script)->excludes("--log");
    addRunner(measureCommand, measure.runner);
    measureCommand.add_option("--repeats", measure.repeats, "samples to take (0 = until the best agree)")
        ->type_name("N")
        ->capture_default_str()
        ->check(wholeNumber(0, 100000));

    auto &benchCommand =
        *m_app.add_subcommand("bench", "compare a schedule's kernel with others, interleaved in one run");
    addWorkload(benchCommand, bench.workload);
    addRecord(benchCommand, bench.record);
    addScript(benchCommand, bench.record.script)->excludes("--log");
    words(benchCommand.add_option("--against", bench.against, "what to compare with; comma-separated"),
          {"naive", "openblas", "onednn", "blis"}, true)
        ->type_name("NAMES");
    benchCommand.add_option("--rounds", bench.rounds, "interleaved rounds")
        ->type_name("N")
        ->capture_default_str()
        ->check(wholeNumber(1, 10000));
}

void CommandLine::addByHand() {
    auto &applyCommand = *m_app.add_subcommand(
        "apply", "apply a schedule script, or say at which of its lines it does not apply and what would be legal");
    addWorkload(applyCommand, apply.workload);
    addScript(applyCommand, apply.script)->required();

    auto &movesCommand = *m_app.add_subcommand(
        "moves", "print every step that could come next to a schedule, with the change of time that is predicted");
    addWorkload(movesCommand, moves.workload);
    addRecord(movesCommand, moves.record);
    addScript(movesCommand, moves.record.script)
        ->description("the schedule as a script, instead of a record; the log then only trains the model");
    movesCommand.add_option("--stage", moves.stage, "of this stage alone")->type_name("NAME");

    auto &whyCommand = *m_app.add_subcommand(
        "why", "say why a schedule is as fast as it is: what bounds each loop, what the model makes of it, what its "
               "hottest block does to the ports, and what could be tried next");
    addWorkload(whyCommand, why.workload);
    addRecord(whyCommand, why.record);
    addScript(whyCommand, why.record.script)
        ->description("the schedule as a script, instead of a record; the log then only trains the model");
    whyCommand.add_option("--most", why.most, "moves, neighbours, features and remarks to name")
        ->type_name("N")
        ->capture_default_str()
        ->check(wholeNumber(1, 1000));
}

void CommandLine::addChanges() {
    const auto add = [&](CLI::App &command, MutateOptions &options) {
        addWorkload(command, options.workload);
        addRecord(command, options.record);
        addScript(command, options.record.script)->excludes("--log");
        command.add_option("--seed", options.seed, "another seed, another draw")
            ->type_name("N")
            ->capture_default_str()
            ->check(anyWholeNumber());
        addLocks(command, options.locks, "what of the schedule stays as it is");
    };
    auto &mutateCommand = *m_app.add_subcommand(
        "mutate", "change a schedule by a mutation rule of the search, and print the script of what comes of it");
    add(mutateCommand, mutate);
    words(mutateCommand.add_option("--rule", mutate.rule, "the rule; otherwise one that applies is drawn"),
          mutationRules(TargetKind::Llvm))
        ->type_name("RULE");
    file(mutateCommand.add_option("--with", mutate.with,
                                  "what crossover takes lengths from: LOG:NUMBER, LOG:best, or a schedule script"),
         ".schedule")
        ->check(fileName());
    add(*m_app.add_subcommand(
            "complete",
            "decide what a schedule leaves open (lengths, parallel loops, vectors, unrolling) as the search "
            "does, and print the script of what comes of it"),
        complete);
}

void CommandLine::addCompare() {
    auto &command = *m_app.add_subcommand(
        "compare", "compare two schedules step by step and time them against each other, with a verdict");
    addWorkload(command, compare.workload);
    const char *side = "LOG:NUMBER, LOG:best, naive, or a schedule script";
    file(command.add_option("a", compare.a, side), ".schedule")->required()->check(fileName());
    file(command.add_option("b", compare.b, side), ".schedule")->required()->check(fileName());
    command
        .add_option("--repeats", compare.repeats, "processes they are timed in; below 8 nothing is called different")
        ->type_name("N")
        ->capture_default_str()
        ->check(wholeNumber(1, 1000));
    command.add_flag("--explain", compare.explain,
                     "go from A to B one difference at a time, and say what each of them earns");
}

void CommandLine::addChoices() {
    auto &command = *m_app.add_subcommand(
        "choices", "print in what the trials of a log differ, and which of these choices made them fast");
    addWorkload(command, choices.workload);
    file(command.add_option("--log", choices.log, "tuning log (JSON lines)"), ".json")->check(fileName())->required();
}

void CommandLine::addExport() {
    auto &command =
        *m_app.add_subcommand("export", "take a schedule away as code, in any of the formats of --format list");
    file(command.add_option("file", exported.workload.file,
                            "workload file (.te), or FILE:NAME=VALUE,... with parameters"),
         ".te");
    addWorkloadOptions(command, exported.workload);
    addRecord(command, exported.record);
    addScript(command, exported.record.script)->excludes("--log");
    words(command.add_option("--format", exported.format, "what to write; `list` says what each is"),
          exportFormatWords())
        ->type_name("FORMAT")
        ->required();
    file(command.add_option("--out", exported.out, "the file, or the folder, that is written"), "")->check(fileName());
    auto *layout =
        command
            .add_option("--layout-rewrite", exported.layoutRewrite,
                        "weights of the code: 0 as they are, 1 packed by the kernel at every call, 2 arrive packed; as "
                        "measured when not given")
            ->type_name("N")
            ->check(wholeNumber(0, 2));
    m_values[layout].words = {"0", "1", "2"};
}

void CommandLine::addMachine() {
    auto &command = *m_app.add_subcommand("machine", "measure what this machine can do at best");
    command.add_option("--target", machine.target, "as for the other commands; its cores and vectors are measured")
        ->type_name("TARGET")
        ->capture_default_str();
    command.add_flag("--json", machine.json,
                     "one JSON value on standard output instead of text; of a failure, {\"error\": ...}");
}

void CommandLine::addTargets() {
    auto &command = *m_app.add_subcommand("targets", "list the GPUs that --target can name, with their figures");
    command.add_flag("--json", targets.json,
                     "one JSON value on standard output instead of text; of a failure, {\"error\": ...}");
}

void CommandLine::addTexts() {
    auto &completion =
        *m_app.add_subcommand("completion", "print the script with which a shell completes this command line");
    words(completion.add_option("shell", shell, "the shell it is for"), {"bash", "zsh", "fish"})
        ->type_name("SHELL")
        ->required();
    m_app.add_subcommand("manual", "print the manual page, as `man -l -` reads it");
}

std::vector<const CLI::App *> CommandLine::commands() const { return m_app.get_subcommands({}); }

std::string CommandLine::chosenOf(const char *group) const {
    const CLI::App &last = chosenCommand(m_app);
    return m_app.got_subcommand(group) ? last.get_name() : std::string();
}

void CommandLine::parse(int argc, const char *const *argv) {
    try {
        m_app.parse(argc, argv);
    } catch (const CLI::Success &) {
        throw;
    } catch (const CLI::ParseError &error) {
        throw UsageError(complaint(error) + "; see --help");
    }
    const CLI::App &last = chosenCommand(m_app);
    if (std::vector<std::string> names = namesOfCommands(last); !names.empty()) {
        const std::string lastName = names.back();
        names.pop_back();
        throw UsageError(fmt::format("a command{} is missing: {} or {}; see --help",
                                     &last == &m_app ? std::string() : " of " + last.get_name(), fmt::join(names, ", "),
                                     lastName));
    }
    std::vector<std::string> against;
    for (const std::string &list : bench.against)
        for (std::string &name : partsOf(list)) against.push_back(std::move(name));
    bench.against = std::move(against);
}

std::string CommandLine::complaint(const CLI::ParseError &error) const {
    const CLI::App &last = chosenCommand(m_app);
    if (const std::vector<std::string> names = namesOfCommands(last); !names.empty()) {
        const std::vector<std::string> rest = last.remaining();
        if (const std::string unknown = unknownWord(last); !unknown.empty() && rest.front().starts_with('-'))
            return unknown;
        if (!rest.empty())
            return fmt::format("{} no command {}{}", &last == &m_app ? "there is" : last.get_name() + " has",
                               rest.front(), suggestion(rest.front(), names));
    } else if (const std::string unknown = unknownWord(last); !unknown.empty()) {
        return unknown; // before what is missing because a name was mistyped
    }
    return error.what();
}

std::vector<NamedCommand> commandsToCall(const CommandLine &line) {
    std::vector<NamedCommand> all;
    for (const CLI::App *command : line.commands()) {
        const auto within = command->get_subcommands({});
        if (within.empty()) all.push_back({command, command->get_name(), {}});
        for (const CLI::App *inner : within)
            all.push_back({inner, command->get_name() + " " + inner->get_name(), command->get_name()});
    }
    return all;
}

std::string optionName(const CLI::Option &option) {
    if (!option.get_lnames().empty()) return "--" + option.get_lnames().front();
    if (!option.get_snames().empty()) return "-" + option.get_snames().front();
    return option.get_name(true);
}

std::pair<std::string, std::string> valueTexts(const CLI::Option &option) {
    if (!takesValue(option)) return {};
    const std::string whole = option.get_type_name(); // NAME:RULE
    const size_t colon = whole.find(':');
    if (colon == std::string::npos) return {whole, {}};
    return {whole.substr(0, colon), whole.substr(colon + 1)};
}

} // namespace loopscope
