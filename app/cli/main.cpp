// The command line: the same core the window uses, people's text on standard output, progress on standard error.
// Exit code 0 only when what was asked for was done; 2 for bad usage, 1 for failure.

#include "bench_command.h"
#include "check.h"
#include "machine_command.h"
#include "measure_command.h"
#include "outcome.h"
#include "show_command.h"
#include "tune_command.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <limits>
#include <string>

namespace {

using namespace loopscope;

void addWorkload(CLI::App &command, WorkloadChoice &choice) {
    command.add_option("file", choice.file, "workload file (.te)")->required();
    command.add_option("--param", choice.params, "NAME=VALUE, overrides a parameter of the workload; may be repeated")
        ->take_all();
    command
        .add_option(
            "--target", choice.target,
            "'llvm', 'llvm -mcpu=znver3 -num-cores=2', 'cuda' or a whole target string; what is left out is detected")
        ->capture_default_str();
    command.add_flag("--json", choice.json, "one JSON object on standard output instead of text");
}

void addRecord(CLI::App &command, RecordChoice &choice, bool required) {
    auto *log = command.add_option("--log", choice.log, "tuning log (JSON lines)");
    command.add_option("--record", choice.record, "'best', or the number of a record in the log, from 0")
        ->capture_default_str()
        ->needs(log);
    if (required) log->required();
}

/// CLI11's own conversions let a negative number wrap around, a large one saturate, and `nan` through.
CLI::Validator wholeNumber() {
    return {[](std::string &text) {
                uint64_t value = 0;
                const char *end = text.data() + text.size();
                const auto parsed = std::from_chars(text.data(), end, value);
                const bool whole = parsed.ec == std::errc() && parsed.ptr == end;
                return whole ? std::string()
                             : fmt::format("{} is not a whole number from 0 to {}", text,
                                           std::numeric_limits<uint64_t>::max());
            },
            "0 to 2^64-1"};
}
CLI::Validator seconds() {
    return {[](std::string &text) {
                double value = 0;
                const char *end = text.data() + text.size();
                const auto parsed = std::from_chars(text.data(), end, value);
                const bool legal = parsed.ec == std::errc() && parsed.ptr == end && value >= 0 && value <= 1e9;
                return legal ? std::string() : fmt::format("{} is not a number of seconds from 0 to 1e9", text);
            },
            "seconds"};
}

int report(const std::exception &failure, const std::string &excerpt) {
    std::fprintf(stderr, "loopscope-cli: %s\n", failure.what());
    const bool blank = excerpt.empty() || excerpt.front() == '\n'; // a caret below an empty line shows nothing
    if (!blank) std::fprintf(stderr, "%s\n", excerpt.c_str());
    return 1;
}

} // namespace

int main(int argc, char **argv) {
    CLI::App app{"Loopscope: search, inspect and measure loop schedules of tensor programs"};
    app.require_subcommand(0, 1); // at least one: checked below, after unknown words were named
    app.failure_message([](const CLI::App *, const CLI::Error &error) {
        return fmt::format("loopscope-cli: {}; see --help\n", error.what());
    });
    app.set_version_flag("--version", "loopscope-cli 0.1");

    TuneOptions tune;
    auto *tuneCommand = app.add_subcommand("tune", "search for a fast schedule; every candidate is checked and logged");
    addWorkload(*tuneCommand, tune.workload);
    tuneCommand->add_option("--trials", tune.search.trials, "candidates to measure")
        ->capture_default_str()
        ->check(CLI::Range(1, 1000000));
    auto *seed = tuneCommand
                     ->add_option("--seed", tune.search.seed,
                                  "same seed, same candidates in the same order; given, rounds are of 64 trials, "
                                  "since later rounds depend on what was measured")
                     ->capture_default_str()
                     ->check(wholeNumber());
    tuneCommand->add_option("--log", tune.log, "append every trial to this file, in Ansor's log format");
    tuneCommand->add_flag("--resume", tune.resume, "continue from the trials already in the log");
    tuneCommand
        ->add_option("--threads", tune.search.threads,
                     "threads of the search and of compilation (0 = all cores); a kernel's cores belong to the target")
        ->capture_default_str()
        ->check(CLI::Range(0, 1024));
    tuneCommand
        ->add_option(
            "--time-limit", tune.search.timeLimitSeconds,
            "stop after so many seconds, computing the reference answer included (0 = no limit, but 600 for the "
            "reference)")
        ->capture_default_str()
        ->check(seconds());
    tuneCommand
        ->add_option("--layout-rewrite", tune.layoutRewrite,
                     "weights: 0 stay as they are, 1 are packed by the kernel at every call, 2 arrive packed")
        ->capture_default_str()
        ->check(CLI::Range(0, 2));
    auto *perRound = tuneCommand
                         ->add_option("--trials-per-round", tune.search.trialsPerRound,
                                      "measured before the model is retrained and the next candidates are chosen")
                         ->capture_default_str()
                         ->check(CLI::Range(1, 1024));
    tuneCommand->add_flag("--random-model", tune.search.randomModel, "rank candidates by chance, to compare with");

    ShowOptions show;
    auto *showCommand = app.add_subcommand("show", "print a workload, its sketches, or a schedule's loops and code");
    addWorkload(*showCommand, show.workload);
    addRecord(*showCommand, show.record, false);
    showCommand->add_option("--as", show.as, "what to print")->required()->check(CLI::IsMember(showForms()));

    MeasureCommandOptions measure;
    auto *measureCommand = app.add_subcommand("measure", "measure a record of a log again");
    addWorkload(*measureCommand, measure.workload);
    addRecord(*measureCommand, measure.record, true);
    measureCommand->add_option("--repeats", measure.repeats, "samples to take (0 = until the best agree)")
        ->capture_default_str()
        ->check(CLI::Range(0, 100000));

    BenchOptions bench;
    auto *benchCommand = app.add_subcommand("bench", "compare a log's best kernel with others, interleaved in one run");
    addWorkload(*benchCommand, bench.workload);
    addRecord(*benchCommand, bench.record, true);
    benchCommand->add_option("--against", bench.against, "naive, openblas, onednn, blis; comma-separated")
        ->delimiter(',')
        ->check(CLI::IsMember({"naive", "openblas", "onednn", "blis"}));
    benchCommand->add_option("--rounds", bench.rounds, "interleaved rounds")
        ->capture_default_str()
        ->check(CLI::Range(1, 10000));

    MachineCommandOptions machine;
    auto *machineCommand = app.add_subcommand("machine", "measure what this machine can do at best");
    machineCommand
        ->add_option("--target", machine.target, "as for the other commands; its cores and vectors are measured")
        ->capture_default_str();
    machineCommand->add_flag("--json", machine.json, "one JSON object on standard output instead of text");

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    if (app.get_subcommands().empty()) {
        std::fprintf(stderr,
                     "loopscope-cli: a command is missing: tune, show, measure, bench or machine; see --help\n");
        return 2;
    }
    try {
        // Whoever asks for a seed wants to see the same candidates again: as many as may be come before times matter.
        if (seed->count() > 0 && perRound->count() == 0) tune.search.trialsPerRound = 64;
        if (*tuneCommand) return runTune(tune);
        if (*showCommand) return runShow(show);
        if (*machineCommand) return runMachine(machine);
        if (*measureCommand) return runMeasure(measure);
        return runBench(bench);
    } catch (const UsageError &error) {
        report(error, {});
        return 2;
    } catch (const Error &error) {
        return report(error, error.excerpt());
    } catch (const std::bad_alloc &) {
        std::fprintf(stderr, "loopscope-cli: out of memory\n");
        return 1;
    } catch (const std::exception &error) {
        return report(error, {});
    }
}
