// The command line: the same core the window uses, people's text on standard output, progress on standard error.
// Exit code 0 only when what was asked for was done; 2 for bad usage, 1 for failure.

#include "codegen/nvidia/gpu_worker.h"
#include "command_line.h"
#include "completion.h"
#include "language/target/detected_gpu.h"
#include "language/tensor/mapped_file.h"
#include "log_command.h"
#include "manual.h"
#include "measure/timing/machine_use.h"
#include "net_command.h"
#include "output.h"

#include <cstdio>
#include <fmt/format.h>
#include <new>
#include <string>
#include <string_view>
#include <unistd.h>

namespace {

using namespace loopscope;

/// Also of a command line that cannot be read: whoever asked for JSON gets the failure as JSON.
bool asksForJson(int argc, char **argv) {
    for (int i = 1; i < argc; ++i) {
        if (std::string_view(argv[i]) == "--") return false;
        const std::string_view word = argv[i];
        if (word == "--json" || word == "--as=json") return true;
        if (word == "json" && std::string_view(argv[i - 1]) == "--as") return true;
    }
    return false;
}

/// Of a wait for another process: a search that seems to stand still would be a riddle.
void sayWait(const std::string &holder) {
    if (holder.empty()) return;
    sayLine(fmt::format("waiting for {}, which uses this machine; what is timed beside it would be wrong", holder));
}

int run(int argc, char **argv) {
    onMachineWait(sayWait);
    setGpuDetector(gpuOfThisMachine);
    CommandLine line;
    try {
        line.parse(argc, argv);
    } catch (const CLI::CallForVersion &version) {
        writeOutput(std::string(version.what()) + "\n");
        return 0;
    } catch (const CLI::Success &) {
        writeOutput(line.app().help());
        return 0;
    }
    const auto on = [](const char *command, const std::string &files, const auto &work) {
        try {
            const LossWatch losses;
            const int code = work();
            losses.check();
            return code;
        } catch (const std::bad_alloc &) {
            throw outOfMemory(std::string(command) + " " + files);
        }
    };
    if (line.chosen("tune"))
        return on("tune", fmt::format("{}", fmt::join(line.tune.files, " ")), [&] { return runTune(line.tune); });
    if (line.chosen("show")) return on("show", line.show.workload.file, [&] { return runShow(line.show); });
    if (line.chosen("schedule"))
        return on("schedule", line.schedule.workload.file, [&] { return runSchedule(line.schedule); });
    if (line.chosen("group")) return on("group", line.group.workload.file, [&] { return runGroup(line.group); });
    if (line.chosen("layout")) return on("layout", line.layout.workload.file, [&] { return runLayout(line.layout); });
    if (line.chosen("run")) return on("run", line.run.workload.file, [&] { return runWorkload(line.run); });
    if (line.chosen("apply")) return on("apply", line.apply.workload.file, [&] { return runApply(line.apply); });
    if (line.chosen("moves")) return on("moves", line.moves.workload.file, [&] { return runMoves(line.moves); });
    if (line.chosen("why")) return on("why", line.why.workload.file, [&] { return runWhy(line.why); });
    if (line.chosen("mutate")) return on("mutate", line.mutate.workload.file, [&] { return runMutate(line.mutate); });
    if (line.chosen("complete"))
        return on("complete", line.complete.workload.file, [&] { return runComplete(line.complete); });
    if (line.chosen("compare"))
        return on("compare", line.compare.workload.file, [&] { return runCompare(line.compare); });
    if (line.chosen("choices"))
        return on("choices", line.choices.workload.file, [&] { return runChoices(line.choices); });
    if (line.chosen("measure"))
        return on("measure", line.measure.workload.file, [&] { return runMeasure(line.measure); });
    if (line.chosen("bench")) return on("bench", line.bench.workload.file, [&] { return runBench(line.bench); });
    if (line.chosen("export"))
        return on("export", line.exported.workload.file, [&] { return runExport(line.exported); });
    if (line.chosen("bundle"))
        return on("bundle", line.bundle.workload.file + line.bundle.folder,
                  [&] { return runBundle(line.chosenOf("bundle"), line.bundle); });
    if (line.chosen("machine")) return runMachine(line.machine);
    if (line.chosen("targets")) return runTargets(line.targets);
    if (line.chosen("log"))
        return on("log", fmt::format("{}", fmt::join(line.log.files, " ")),
                  [&] { return runLog(line.chosenOf("log"), line.log); });
    if (line.chosen("net")) {
        const std::string command = line.chosenOf("net");
        return on("net", netFile(command, line.net), [&] { return runNet(command, line.net); });
    }
    writeOutput(line.chosen("manual") ? manualPage(line) : completionScript(line, line.shell));
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    prepareStandardStreams();
    const bool json = asksForJson(argc, argv);
    try {
        return run(argc, argv);
    } catch (const UsageError &error) {
        return reportFailure(error, json, 2);
    } catch (const std::bad_alloc &) {
        return reportFailure(outOfMemory("starting"), json, 1);
    } catch (const std::exception &error) {
        return reportFailure(error, json, 1);
    }
}
