#include "machine_command.h"

#include "base/outcome.h"
#include "measure/timing/machine_peaks.h"
#include "output.h"

#include <fmt/format.h>

namespace loopscope {

namespace {

std::string sizeText(int64_t bytes) {
    if (bytes >= 1 << 20) return fmt::format("{:.4g} MiB", static_cast<double>(bytes) / (1 << 20));
    return fmt::format("{:.4g} KiB", static_cast<double>(bytes) / (1 << 10));
}

} // namespace

int runMachine(const MachineCommandOptions &options) {
    const Target target = parseTarget(options.target);
    if (target.isGpu()) throw Error("machine: only processors are measured; use --target llvm");
    const auto peaks = measureMachinePeaks(target);
    if (!peaks) throw Error(peaks.why());
    std::string out = machinePeaksText(*peaks) + "\n";
    if (!options.json) {
        out = fmt::format("{} ({}), vectors of {} bytes\n\n{:<24}{:>14}{:>14}\n", peaks->model, peaks->cpu,
                          peaks->vectorBytes, "", "1 core",
                          fmt::format("{} core{}", peaks->threads, peaks->threads == 1 ? "" : "s"));
        out += fmt::format("{:<24}{:>6.1f} GFLOP/s{:>6.1f} GFLOP/s\n", "float32 multiply-add", peaks->gflops1,
                           peaks->gflopsAll);
        for (const MemoryPeak &level : peaks->memory)
            out +=
                fmt::format("{:<24}{:>9.1f} GB/s{:>9.1f} GB/s\n",
                            fmt::format("{} read, {}", level.name, sizeText(level.bytes)), level.gbps1, level.gbpsAll);
    }
    writeOutput(out);
    return 0;
}

} // namespace loopscope
