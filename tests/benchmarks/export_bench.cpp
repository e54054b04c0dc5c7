// How fast exported code is against the same schedule as machine code in this process:
//   export_bench [--rounds N] FILE.te LOG [FILE.te LOG ...]
// Takes the best record of each log, exports it as C (compiled by GCC and by Clang, where installed), as an object file
// and as a shared library, and prints the median over the rounds of each one's time over ours, with the quartiles.
// Every program checks its answer before it times. Run it on a quiet machine.

#include "base/outcome.h"
#include "codegen/code_generator.h"
#include "codegen/lower/lower.h"
#include "codegen/runtime/runner.h"
#include "language/interpret/interpreter.h"
#include "language/te/workload.h"
#include "measure/answer/reference_data.h"
#include "measure/timing/machine_use.h"
#include "records/export/export_schedule.h"
#include "records/export/write_files.h"
#include "records/record/record.h"
#include "schedule/loop_state.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace loopscope;

namespace {

template <typename T> T required(Outcome<T> outcome) {
    if (!outcome) throw Error(outcome.why());
    return std::move(outcome).value();
}

/// The schedule in this process.
struct OwnKernel {
    explicit OwnKernel(const ExportRequest &request) {
        const LoopState state = required(replay(request.task.dag, request.steps));
        LowerOptions options;
        options.layoutRewrite = request.layoutRewrite;
        const LoopProgram program = required(lower(state, request.task.target, options));
        const auto generator = required(makeCodeGenerator(request.task.target));
        const MachineCode code = required(generator->compile(program));
        runner = required(makeRunner(code.kernel));
        runner->prepare(request.task.target.hardware.numCores);
        for (const TensorValue &value : randomInputs(*request.task.dag, 0)) {
            inputs.emplace_back(value.size() * static_cast<size_t>(dtypeBytes(value.dtype)));
            storeElements(value, inputs.back().data());
        }
        ArgumentData data;
        size_t next = 0;
        for (const KernelArg &arg : code.kernel.launch.args)
            data.inputs.push_back(arg.output ? nullptr : inputs[next++].data());
        call = runner->bind(data);
        calls = std::max<int64_t>(1, static_cast<int64_t>(0.03 / std::max(1e-9, call->time(3) / 3)));
    }
    /// As the exported main takes it: the middle one of the best three samples.
    double seconds() const {
        std::array<double, 5> samples{};
        for (double &sample : samples) sample = call->time(calls) / static_cast<double>(calls);
        std::sort(samples.begin(), samples.end());
        return samples[1];
    }
    std::unique_ptr<Runner> runner;
    std::vector<std::vector<std::byte>> inputs;
    std::unique_ptr<KernelCall> call;
    int64_t calls = 1;
};

struct Program {
    std::string name;
    std::string path;
    std::vector<double> ratios = {};
};

/// What the program says of its own time; throws when its answer is wrong.
double secondsOf(const Program &program) {
    std::FILE *pipe = ::popen((program.path + " 5").c_str(), "re");
    if (pipe == nullptr) throw Error(program.path + " cannot be started");
    char line[512];
    double milliseconds = 0;
    while (std::fgets(line, sizeof line, pipe) != nullptr) (void)std::sscanf(line, "time: %lf ms", &milliseconds);
    if (::pclose(pipe) != 0 || !(milliseconds > 0)) throw Error(program.path + " failed");
    return milliseconds * 1e-3;
}

void write(ExportRequest request, ExportFormat format, const std::string &path) {
    request.stem = stemFor(format, path);
    (void)required(writeFiles(required(exportSchedule(request, format)), format, path));
}

bool compiles(const std::string &folder, const std::string &command) {
    return std::system(fmt::format("cd {} && {} 2>/dev/null", folder, command).c_str()) == 0;
}

void compare(const std::string &file, const std::string &logPath, int rounds) {
    const Task task = makeTask(ComputeDag::fromWorkload(loadWorkload(file)), parseTarget("llvm"));
    const RecordLog log = loadRecordLog(logPath);
    const Record &record = log.records[required(bestRecord(log, task))];
    const ExportRequest request{task, record.trial.steps.unpack(), record.layoutRewrite, {}, {}, {}};
    std::string folder = (std::filesystem::temp_directory_path() / "export_bench-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) throw Error("no folder can be made for the programs");
    write(request, ExportFormat::C, folder + "/k.c");
    write(request, ExportFormat::Object, folder + "/ko.o");
    write(request, ExportFormat::Library, folder + "/library");
    std::vector<Program> programs;
    const std::string flags = "-O3 -march=native -ffp-contract=fast -fopenmp k_main.c -lm";
    for (const char *compiler : {"gcc", "clang"}) {
        if (compiles(folder, fmt::format("{0} k.c {1} -o k_{0}", compiler, flags)))
            programs.push_back({fmt::format("C by {}", compiler), fmt::format("{}/k_{}", folder, compiler)});
        else
            fmt::print("{} is not installed or does not compile it\n", compiler);
    }
    if (compiles(folder, "gcc ko.o " + flags + " -o k_object")) programs.push_back({"object", folder + "/k_object"});
    if (compiles(folder, "gcc " + flags + " library/lib*.so -Wl,-rpath,\"$PWD/library\" -o k_library"))
        programs.push_back({"library", folder + "/k_library"});
    else
        fmt::print("the library does not link\n");
    const OwnKernel own(request);
    for (int round = 0; round < rounds; ++round) {
        const auto use = MachineUse::begin(MachineUse::Kind::Timing);
        for (Program &program : programs) {
            const double before = own.seconds();
            const double other = secondsOf(program);
            program.ratios.push_back(2 * other / (before + own.seconds()));
        }
    }
    fmt::print("{} ({:.3f} ms)\n", task.dag->name(), own.seconds() * 1e3);
    for (Program &program : programs) {
        std::sort(program.ratios.begin(), program.ratios.end());
        const size_t n = program.ratios.size();
        fmt::print("  {:<12} {:.2f} of our time (quartiles {:.2f} to {:.2f})\n", program.name, program.ratios[n / 2],
                   program.ratios[n / 4], program.ratios[n - 1 - n / 4]);
    }
    std::filesystem::remove_all(folder);
}

} // namespace

int main(int argc, char **argv) {
    try {
        int rounds = 7;
        int at = 1;
        if (argc > 2 && std::strcmp(argv[1], "--rounds") == 0) {
            rounds = std::max(1, std::atoi(argv[2]));
            at = 3;
        }
        if (at + 1 >= argc) throw Error("export_bench [--rounds N] FILE.te LOG [FILE.te LOG ...]");
        for (; at + 1 < argc; at += 2) compare(argv[at], argv[at + 1], rounds);
        return 0;
    } catch (const std::exception &problem) {
        std::fprintf(stderr, "%s\n", problem.what());
        return 1;
    }
}
