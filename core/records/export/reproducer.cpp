#include "records/export/reproducer.h"

#include "base/foreign_text.h"
#include "language/te/workload.h"
#include "records/export/c_files.h"
#include "records/record/record.h"
#include "schedule/script/schedule_script.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace loopscope {

namespace {

constexpr const char *kMakefile =
    R"(# make run: compiles the kernel, checks its answer, times it, and sets the time against the expected one.
CC = cc
CFLAGS = -O3 -march=native -ffp-contract=fast -fopenmp -Wall -Wextra

run: @STEM@
	./@STEM@

check: @STEM@
	./@STEM@ 0

@STEM@: @STEM@.c @STEM@_main.c @STEM@.h
	$(CC) $(CFLAGS) @STEM@.c @STEM@_main.c -lm -o $@

# The same schedule through Loopscope itself.
LOOPSCOPE = loopscope-cli
loopscope:
	$(LOOPSCOPE) measure workload.te --log record.json --record 0

clean:
	rm -f @STEM@

.PHONY: run check loopscope clean
)";

constexpr const char *kGpuMakefile =
    R"(# make run: compiles the kernel, checks its answer, times it, and sets the time against the expected one.
NVCC = nvcc
NVCCFLAGS = -O3 -arch=@ARCH@

run: @STEM@
	./@STEM@

check: @STEM@
	./@STEM@ 0

@STEM@: @STEM@.cu @STEM@_main.c @STEM@.h
	$(NVCC) $(NVCCFLAGS) @STEM@.cu @STEM@_main.c -lm -o $@

# The same schedule through Loopscope itself, checked without a GPU.
LOOPSCOPE = loopscope-cli
loopscope:
	$(LOOPSCOPE) measure workload.te --target @TARGET@ --runner executor --log record.json --record 0

clean:
	rm -f @STEM@

.PHONY: run check loopscope clean
)";

constexpr const char *kGpuReadme = R"(@NAME@: a kernel of a GPU and what was measured of it

    make run                       compiles the CUDA C++, checks its answer, times it and compares with the expected time
    make NVCCFLAGS='-O3 -arch=native' run   for the GPU at hand
    make loopscope                 the same schedule through Loopscope itself, on the processor (loopscope-cli on PATH)

workload.te        what is computed, parameters applied
record.json        the schedule with its times, a line of Ansor's log format
schedule.schedule  the schedule as a script, a primitive a line
@STEM@.cu, .h  the kernels, the function that launches them, and one of the host that copies for it
@STEM@_main.c  inputs, reference, check, timing
machine.json       the machine the schedule is for
expected.json      @EXPECTED@

The arguments of @NAME@:
@LAYOUT@
Inputs are drawn from seed 0; the answer is compared with plain loops in double precision.
Calls are timed one after the other with what they leave in the caches; a call of some microseconds is mostly its launch.
)";

constexpr const char *kReadme = R"(@NAME@: a kernel and what was measured of it

    make run          compiles the C, checks its answer, times it and compares with the expected time
    make CC=clang run the same with another compiler
    make loopscope    the same schedule through Loopscope itself (loopscope-cli on PATH)

workload.te        what is computed, parameters applied
record.json        the schedule with its times, a line of Ansor's log format
schedule.schedule  the schedule as a script, a primitive a line
@STEM@.c, .h  the kernel as C with OpenMP
@STEM@_main.c  inputs, reference, check, timing
machine.json       the machine the schedule is for
expected.json      @EXPECTED@

The arguments of @NAME@:
@LAYOUT@
Inputs are drawn from seed 0; the answer is compared with plain loops in double precision.
)";

using ReproducerJson = nlohmann::ordered_json;

std::string jsonText(const ReproducerJson &json) {
    return json.dump(2, ' ', false, ReproducerJson::error_handler_t::replace) + "\n";
}

std::string gpuText(const Target &target) {
    const GpuLimits &gpu = target.gpu;
    return jsonText({{"target", target.text()},
                     {"model", gpu.model},
                     {"multiprocessors", gpu.multiprocessors},
                     {"clock_ghz", gpu.clockGHz},
                     {"memory_gb_per_s", gpu.memoryGBs},
                     {"l2_bytes", target.l2Bytes},
                     {"shared_bytes_per_multiprocessor", gpu.sharedPerMultiprocessor},
                     {"registers_per_multiprocessor", gpu.registersPerMultiprocessor}});
}

std::string machineText(const Target &target) {
    if (target.isGpu()) return gpuText(target);
    return jsonText({{"target", target.text()},
                     {"cpu", target.cpu},
                     {"features", target.features},
                     {"cores", target.hardware.numCores},
                     {"vector_bytes", target.vectorBytes},
                     {"vector_registers", target.vectorRegisters},
                     {"l1_bytes", target.l1Bytes},
                     {"l2_bytes", target.l2Bytes},
                     {"l3_bytes", target.l3Bytes}});
}

std::string expectedText(const std::optional<Trial> &measured, bool gpu) {
    if (!measured || !measured->valid())
        return jsonText({{"seconds", nullptr}, {"reason", measured ? measured->reason : "it was not measured"}});
    return jsonText({{"seconds", measured->cost()},
                     {"median", measured->median()},
                     {"samples", measured->seconds},
                     {"unstable", measured->unstable},
                     {"measured", gpu ? "of machine code made by Loopscope, not of nvcc's"
                                      : "of machine code made by Loopscope, not of the C"}});
}

} // namespace

Outcome<ExportedFiles> reproducerFolder(const ExportRequest &request) {
    const ComputeDag &dag = *request.task.dag;
    Outcome<CFiles> c = cFiles(request);
    if (!c) return c.refusal();
    const Outcome<std::string> script = scriptOf(request.task.dag, request.steps);
    if (!script) return script.refusal();
    const Outcome<ExportedFiles> record = exportSchedule(request, ExportFormat::Record);
    if (!record) return record.refusal();
    const Target &target = request.task.target;
    const auto arch = target.attrs.find("arch");
    const bool timed = request.measured && request.measured->valid();
    const std::vector<std::pair<std::string, std::string>> values = {
        {"@NAME@", dag.name()},
        {"@STEM@", c->kernel.stem},
        {"@LAYOUT@", c->kernel.layout},
        {"@ARCH@", arch == target.attrs.end() ? "sm_80" : arch->second},
        {"@TARGET@", makeWord(target.text())},
        {"@EXPECTED@", timed ? "the times Loopscope measured there" : "no times: the schedule was not measured"},
    };
    ExportedFiles files = {{"README.txt", filledIn(target.isGpu() ? kGpuReadme : kReadme, values)},
                           {"Makefile", filledIn(target.isGpu() ? kGpuMakefile : kMakefile, values)},
                           {"workload.te", printWorkload(dag.name(), dag.ops(), dag.args())},
                           {"record.json", record->front().bytes},
                           {"schedule.schedule", *script},
                           {"machine.json", machineText(target)},
                           {"expected.json", expectedText(request.measured, target.isGpu())}};
    files.insert(files.end(), c->files.begin(), c->files.end());
    return files;
}

} // namespace loopscope
