#include "records/export/reproducer.h"

#include "base/foreign_text.h"
#include "language/te/workload.h"
#include "records/export/c_files.h"
#include "records/record/record.h"
#include "schedule/script/schedule_script.h"

#include <algorithm>
#include <export_texts.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace loopscope {

namespace {

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
