#include "bench_command.h"

#include "base/outcome.h"
#include "interleaved_timing.h"
#include "language/target/detected_gpu.h"
#include "measure/measurer.h"
#include "output.h"
#include "search/naive_schedule.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace loopscope {

int runBench(const BenchOptions &options) {
    LoadedTask loaded = loadTask(options.workload);
    const Outcome<DetectedGpu> gpu =
        loaded.task.target.isGpu() ? gpuThatRuns(loaded.task.target) : Refusal{"kernels run on the processor"};
    if (loaded.task.target.isGpu() && !gpu)
        throw Error(fmt::format("no GPU here runs kernels of this target: {}", gpu.why()));
    const ChosenSchedule chosen = requiredSchedule(options.record, loaded, options.workload.json);
    loaded.task.layoutRewrite = static_cast<LayoutRewrite>(chosen.layoutRewrite);
    // This process runs only what an isolated one has run without harm.
    Trial trial;
    const auto measurer = makeWorkerMeasurer(loaded.task, {});
    measurer->measure({chosen.state.steps()}, [&](size_t, const Trial &t) { trial = t; });
    for (const std::string &note : measurer->notes()) sayLine(note);
    if (!trial.valid()) throw Error(fmt::format("{}: {}: {}", chosen.name, trialErrorName(trial.error), trial.reason));

    InterleavedTiming timing(loaded.task, 0);
    timing.addSchedule("loopscope", chosen.name, chosen.state, chosen.layoutRewrite);
    for (const auto &name : options.against) {
        if (name == "naive") {
            const Outcome<LoopState> naive = replay(loaded.task.dag, naiveSteps(loaded.task));
            if (!naive) throw Error("naive: " + naive.why());
            timing.addSchedule("naive", gpu ? "a thread for each element" : "no steps", *naive, 0);
        } else {
            timing.addBaseline(name);
        }
    }
    timing.run(options.rounds);

    const double flops = loaded.task.dag->flops();
    const double own = timing.ways().front().median();
    nlohmann::ordered_json json = {
        {"workload", loaded.workload.name},
        {"key", loaded.task.key},
        {"target", loaded.task.target.text()},
        {"machine", gpu ? nlohmann::ordered_json(gpu->name) : nlohmann::ordered_json(nullptr)},
        {"threads", loaded.task.target.hardware.numCores},
        {"record", chosen.record ? nlohmann::ordered_json(*chosen.record) : nlohmann::ordered_json(nullptr)},
        {"rounds", options.rounds},
        {"contestants", nlohmann::ordered_json::array()}};
    const auto line = [&](const std::string &name, const std::string &median, const std::string &speed,
                          const std::string &ratio, const std::string &implementation) {
        const std::string speedColumn = flops > 0 ? fmt::format(" {:>12}", speed) : "";
        return fmt::format("{:<10} {:>12}{} {:>8}  {}\n", name, median, speedColumn, ratio, implementation);
    };
    std::string text = gpu ? fmt::format("on the {} of this machine\n", gpu->name) : "";
    text += line("", "median", "GFLOP/s", "ratio", "");
    for (const auto &way : timing.ways()) {
        if (!way.refusal.empty()) {
            text += fmt::format("{:<10} left out: {}\n", way.name, way.refusal);
            json["contestants"].push_back({{"name", way.name}, {"refusal", way.refusal}});
            continue;
        }
        const double median = way.median();
        const auto speed = gigaflops(flops, median);
        text += line(way.name, timeText(median), speed ? fmt::format("{:.2f}", *speed) : "",
                     fmt::format("{:.2f}", median / own), way.implementation);
        json["contestants"].push_back(
            {{"name", way.name},
             {"implementation", way.implementation},
             {"seconds", median},
             {"samples", way.seconds},
             {"gflops", speed ? nlohmann::ordered_json(*speed) : nlohmann::ordered_json(nullptr)},
             {"ratio", median / own},
             {"error", way.maxError}});
    }
    text += "ratio: how many times faster loopscope's kernel is\n";
    const std::string out =
        options.workload.json ? json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n" : text;
    writeOutput(out);
    return 0;
}

} // namespace loopscope
