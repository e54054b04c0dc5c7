#include "bundle_options.h"

#include "command_line.h"
#include "validators.h"

namespace loopscope {

namespace {

constexpr const char *kJsonText = "one JSON value on standard output instead of text; of a failure, {\"error\": ...}";

CLI::Option *fileOption(CLI::Option *option, const std::string &suffix,
                        std::map<const CLI::Option *, OptionValues> &values) {
    option->type_name("FILE")->check(fileName());
    values[option] = {{}, false, true, suffix};
    return option;
}

void addBundleExport(CLI::App &group, BundleCommandOptions &options,
                     std::map<const CLI::Option *, OptionValues> &values) {
    auto &command = *group.add_subcommand(
        "export", "write candidates as a folder that builds, checks and times them on another machine");
    fileOption(command.add_option("file", options.workload.file,
                                  "workload file (.te), or FILE:NAME=VALUE,... with parameters; or a tuning log, a "
                                  "round for each of its tasks"),
               ".te", values)
        ->required();
    command
        .add_option("--param", options.workload.params,
                    "NAME=VALUE, overrides a parameter of the workload; may be repeated")
        ->type_name("NAME=VALUE")
        ->take_all()
        ->allow_extra_args(false);
    command
        .add_option("--target", options.workload.target,
                    "the other machine: 'cuda -arch=sm_80', 'llvm -mcpu=znver4 -num-cores=16'; of a log, that of its "
                    "records unless given")
        ->each([&options](const std::string &) { options.targetGiven = true; })
        ->type_name("TARGET")
        ->capture_default_str();
    command.add_flag("--json", options.workload.json, kJsonText);
    fileOption(command.add_option("--log", options.record.log,
                                  "tuning log: its records, or what the search of --candidates knows"),
               ".json", values);
    fileOption(command.add_option("--te", options.te,
                                  "of a log: a workload, or a folder of them, to look for what a task computes; may be "
                                  "repeated"),
               ".te", values)
        ->take_all()
        ->allow_extra_args(false);
    fileOption(
        command.add_option("--keys", options.keys, "of a log: key table, JSON that says which workload a key is of"),
        ".json", values);
    auto *record = command
                       .add_option("--record", options.record.record,
                                   "'best', 'all', or the number of a record in the log, from 0")
                       ->type_name("best|all|NUMBER")
                       ->capture_default_str();
    values[record].words = {"best", "all"};
    command
        .add_option("--candidates", options.candidates, "so many of the first round of a search, instead of records")
        ->type_name("N")
        ->check(wholeNumber(1, 1024))
        ->excludes(record);
    command.add_option("--seed", options.seed, "of the search and of the inputs")
        ->type_name("N")
        ->capture_default_str()
        ->check(anyWholeNumber());
    auto *layout =
        command
            .add_option("--layout-rewrite", options.layoutRewrite,
                        "weights: 0 as they are, 1 packed by the kernel at every call, 2 arrive packed; when "
                        "not given, records as measured, candidates of a search 0 for GPUs, else 2")
            ->type_name("N")
            ->check(wholeNumber(0, 2));
    values[layout].words = {"0", "1", "2"};
    fileOption(command.add_option("-o,--out", options.out, "the folder that the round is written to, as DIR/round-NNN"),
               "", values)
        ->type_name("DIR")
        ->required();
}

void addBundleImport(CLI::App &group, BundleCommandOptions &options,
                     std::map<const CLI::Option *, OptionValues> &values) {
    auto &command =
        *group.add_subcommand("import", "file the results of bundles in a tuning log, like trials made here");
    fileOption(command.add_option("folder", options.folder, "the folder of rounds, or of one"), "", values)
        ->type_name("DIR")
        ->required();
    fileOption(command.add_option("--log", options.log, "append the trials to this file, in Ansor's log format"),
               ".json", values)
        ->required();
    command.add_flag("--json", options.json, kJsonText);
}

} // namespace

void addBundleCommands(CLI::App &app, BundleCommandOptions &options,
                       std::map<const CLI::Option *, OptionValues> &values) {
    auto &group = *app.add_subcommand("bundle", "candidates for another machine, and their times back from it");
    group.require_subcommand(0, 1); // at least one: checked in parse, after unknown words were named
    addBundleExport(group, options, values);
    addBundleImport(group, options, values);
}

} // namespace loopscope
