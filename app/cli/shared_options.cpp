#include "shared_options.h"

#include "validators.h"

#include <fmt/format.h>
#include <utility>

namespace loopscope {

CLI::Option *SharedOptions::words(CLI::Option *option, std::vector<std::string> words, bool list) {
    option->check(list ? listOf(words) : oneOf(words));
    m_values[option] = {std::move(words), list, false, {}};
    return option;
}

CLI::Option *SharedOptions::file(CLI::Option *option, const std::string &suffix) {
    option->type_name("FILE");
    m_values[option] = {{}, false, true, suffix};
    return option;
}

void SharedOptions::addWorkload(CLI::App &command, WorkloadChoice &choice) {
    file(command.add_option("file", choice.file, "workload file (.te), or FILE:NAME=VALUE,... with parameters"), ".te")
        ->required();
    addWorkloadOptions(command, choice);
}

void SharedOptions::addWorkloadOptions(CLI::App &command, WorkloadChoice &choice) {
    command.add_option("--param", choice.params, "NAME=VALUE, overrides a parameter of the workload; may be repeated")
        ->type_name("NAME=VALUE")
        ->take_all()
        ->allow_extra_args(false); // what follows the value is the next file
    command
        .add_option(
            "--target", choice.target,
            "'llvm', 'llvm -mcpu=znver3 -num-cores=2', 'cuda' or a whole target string; what is left out is detected")
        ->type_name("TARGET")
        ->capture_default_str();
    command.add_flag("--json", choice.json,
                     "one JSON value on standard output instead of text; of a failure, {\"error\": ...}");
}

void SharedOptions::addRecord(CLI::App &command, RecordChoice &choice) {
    auto *log = file(command.add_option("--log", choice.log, "tuning log (JSON lines)"), ".json")->check(fileName());
    auto *record =
        command.add_option("--record", choice.record, "'best', or the number of a record in the log, from 0")
            ->type_name("best|NUMBER")
            ->capture_default_str()
            ->needs(log);
    m_values[record].words = {"best"};
}

void SharedOptions::addRunner(CLI::App &command, RunnerChoice &choice) {
    auto *runner =
        command
            .add_option(
                "--runner", choice.runner,
                "what candidates run on: the target itself ('llvm', 'cuda'), or 'executor': kernels of GPUs on "
                "this processor, checked for answers and races, not timed (measure then takes --record all, too); of "
                "tune also 'bundle:DIR': another machine, to which each round goes as a folder; and 'slurm' or "
                "'slurm:WORDS': whole nodes of a cluster, or those of the job that this runs in; words are nodes=N, "
                "partition=P, constraint=C, account=A, time=T, tolerance=5%, rounds=N (measured at a time, 4) and "
                "worker=sent or there, with commas between")
            ->type_name("RUNNER");
    m_values[runner].words = {"bundle:", "cuda", "executor", "llvm", "slurm", "slurm:nodes="};
    command
        .add_option("--sample-blocks", choice.sampleBlocks,
                    "blocks that the executor runs of a kernel, spread evenly (0 = what takes about two seconds)")
        ->type_name("N")
        ->capture_default_str()
        ->check(wholeNumber(0, 1000000000));
}

CLI::Option *SharedOptions::addScript(CLI::App &command, std::string &script) {
    return file(command.add_option("--script", script,
                                   "schedule script, a primitive a line, as `show --as script` prints it"),
                ".schedule")
        ->check(fileName());
}

void SharedOptions::addLocks(CLI::App &command, std::vector<std::string> &locks, const char *of) {
    command
        .add_option("--lock", locks,
                    fmt::format("{}: 'split C *[0]', 'parallel *', 'place:D', 'stage:C', ...; may be repeated", of))
        ->type_name("PATTERN")
        ->take_all()
        ->allow_extra_args(false); // what follows the value is the next file
}

const OptionValues &SharedOptions::valuesOf(const CLI::Option &option) const {
    static const OptionValues none;
    const auto found = m_values.find(&option);
    return found == m_values.end() ? none : found->second;
}

} // namespace loopscope
