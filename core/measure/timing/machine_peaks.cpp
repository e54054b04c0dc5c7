#include "measure/timing/machine_peaks.h"

#include "base/json_text.h"
#include "measure/timing/machine_use.h"
#include "measure/timing/peak_kernels.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <nlohmann/json.hpp>
#include <system_error>
#include <thread>

namespace loopscope {

namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

// Noise only slows down, so the best of several short samples counts.
constexpr int kSamples = 7;
constexpr auto kSample = std::chrono::milliseconds(16);

bool raised(const std::atomic<bool> *flag) { return flag && *flag; }

/// Work done (operations or bytes) by one call, short against a sample.
using Work = std::function<double()>;

/// Best total rate of `threads` doing their own work at the same time, per second. `makeWork` is called by each thread,
/// so that the memory it reads lies near.
double bestRate(int threads, const std::function<Work()> &makeWork, const std::atomic<bool> *cancel) {
    std::vector<double> rates(static_cast<size_t>(threads));
    double best = 0;
    std::barrier together(threads);
    std::mutex mutex;
    std::exception_ptr failure; // the first; memory or threads ran out
    std::atomic<bool> failed = false;
    const auto fail = [&](std::exception_ptr why) {
        const std::lock_guard lock(mutex);
        if (!failed.exchange(true)) failure = std::move(why);
    };
    const auto run = [&](size_t thread) {
        Work work;
        try {
            work = makeWork();
            work(); // pages, caches and clock
        } catch (...) {
            fail(std::current_exception()); // on a thread of its own it would end the program
        }
        together.arrive_and_wait(); // now all know whether all are ready
        if (failed) return;
        for (int sample = 0; sample < kSamples; ++sample) {
            together.arrive_and_wait();
            const auto start = Clock::now();
            double done = 0;
            auto now = start;
            while (now - start < kSample && !raised(cancel)) {
                done += work();
                now = Clock::now();
            }
            rates[thread] = now > start ? done / std::chrono::duration<double>(now - start).count() : 0;
            together.arrive_and_wait();
            if (thread != 0) continue;
            double sum = 0;
            for (const double rate : rates) sum += rate;
            best = std::max(best, sum);
        }
    };
    std::vector<std::thread> others;
    try {
        for (size_t i = 1; i < static_cast<size_t>(threads); ++i) others.emplace_back(run, i);
    } catch (const std::system_error &) {
        fail(std::current_exception());
        // Those that are there must not wait for those that are not.
        for (size_t i = others.size() + 1; i < static_cast<size_t>(threads); ++i) together.arrive_and_drop();
    }
    run(0);
    for (auto &other : others) other.join();
    if (failure) std::rethrow_exception(failure);
    return best;
}

struct Freed {
    void operator()(float *memory) const { std::free(memory); }
};

/// Reads the same `bytes` over and over, a stretch a call.
Work reading(const PeakKernels &kernels, int64_t bytes) {
    constexpr size_t kStretch = 1 << 18; // floats: 1 MiB, whatever the size of a level
    const size_t floats = std::max<size_t>(static_cast<size_t>(bytes) / sizeof(float) / kPeakBlock, 1) * kPeakBlock;
    const std::shared_ptr<float> memory(
        static_cast<float *>(std::aligned_alloc(4096, (floats * sizeof(float) + 4095) / 4096 * 4096)), Freed());
    if (!memory) throw std::bad_alloc();
    std::fill(memory.get(), memory.get() + floats, 1.0F);
    return [=, at = size_t{0}]() mutable {
        volatile float sink = 0;
        size_t done = 0;
        while (done < kStretch) {
            const size_t part = std::min(kStretch - done, floats - at);
            kernels.read(memory.get() + at, part, &sink);
            done += part;
            at = at + part == floats ? 0 : at + part;
        }
        return static_cast<double>(done * sizeof(float));
    };
}

/// Bytes one thread reads so that they come from each level: well inside it, and well outside the one before. A level
/// that is not there, or no larger than what lies before it, is left out.
std::vector<MemoryPeak> levels(const Target &target) {
    std::vector<MemoryPeak> list;
    int64_t before = 0;
    const std::pair<const char *, int64_t> caches[] = {
        {"L1", target.l1Bytes}, {"L2", target.l2Bytes}, {"L3", target.l3Bytes}};
    for (const auto &[name, bytes] : caches) {
        if (bytes <= 2 * before) continue;
        list.push_back({name, std::max(bytes / 2, before), 0, 0});
        before = bytes;
    }
    constexpr int64_t kLeast = int64_t{64} << 20;
    constexpr int64_t kMost = int64_t{1} << 30;
    list.push_back({"DRAM", std::clamp(4 * before, kLeast, kMost), 0, 0});
    return list;
}

} // namespace

bool sharedByCores(const MemoryPeak &level) { return level.name == "L3" || level.name == "DRAM"; }

std::string processorModel() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("model name")) return line.substr(std::min(line.find(": ") + 2, line.size()));
    return {};
}

namespace {

Outcome<MachinePeaks> measurePeaks(const Target &target, const std::atomic<bool> *cancel) {
    MachinePeaks peaks;
    peaks.model = processorModel();
    peaks.cpu = target.cpu;
    peaks.vectorBytes = target.vectorBytes;
    peaks.threads = std::max(1, target.hardware.numCores);
    const auto use = MachineUse::begin(MachineUse::Kind::Timing, cancel);
    if (!use) return Refusal{"measuring the machine was cancelled"};
    const PeakKernels kernels = peakKernels(target.vectorBytes);
    const auto computing = [&] {
        return Work([kernels] {
            volatile float sink = 0;
            return kernels.multiplyAdd(20000, &sink);
        });
    };
    peaks.gflops1 = bestRate(1, computing, cancel) * 1e-9;
    peaks.gflopsAll = peaks.threads == 1 ? peaks.gflops1 : bestRate(peaks.threads, computing, cancel) * 1e-9;
    peaks.memory = levels(target);
    for (MemoryPeak &level : peaks.memory) {
        if (raised(cancel)) break;
        level.gbps1 = bestRate(1, [&] { return reading(kernels, level.bytes); }, cancel) * 1e-9;
        level.gbpsAll = level.gbps1;
        if (peaks.threads == 1) continue;
        // What is one for all cores need not be filled by each of them.
        const int64_t each =
            sharedByCores(level) ? std::max(level.bytes / peaks.threads, 2 * target.l2Bytes) : level.bytes;
        level.gbpsAll = bestRate(peaks.threads, [&] { return reading(kernels, each); }, cancel) * 1e-9;
    }
    if (raised(cancel)) return Refusal{"measuring the machine was cancelled"};
    return peaks;
}

} // namespace

Outcome<MachinePeaks> measureMachinePeaks(const Target &target, const std::atomic<bool> *cancel) {
    try {
        return measurePeaks(target, cancel);
    } catch (const std::bad_alloc &) {
        int64_t bytes = 0;
        for (const MemoryPeak &level : levels(target)) bytes = std::max(bytes, level.bytes);
        return Refusal{
            fmt::format("measuring the machine ran out of memory: reading from it takes {} MiB, and the caches "
                        "of {} threads as much again",
                        bytes >> 20, std::max(1, target.hardware.numCores))};
    } catch (const std::system_error &problem) {
        return Refusal{fmt::format("measuring the machine needs {} threads, which cannot be had: {}",
                                   std::max(1, target.hardware.numCores), problem.what())};
    }
}

bool peaksFit(const MachinePeaks &peaks, const Target &target) {
    static const std::string model = processorModel(); // asked for whenever a document is shown
    return peaks.model == model && peaks.cpu == target.cpu && peaks.vectorBytes == target.vectorBytes &&
           peaks.threads == std::max(1, target.hardware.numCores);
}

std::string machinePeaksText(const MachinePeaks &peaks) {
    Json json = {{"model", peaks.model},     {"cpu", peaks.cpu},          {"vector_bytes", peaks.vectorBytes},
                 {"threads", peaks.threads}, {"gflops_1", peaks.gflops1}, {"gflops_all", peaks.gflopsAll},
                 {"memory", Json::array()}};
    for (const MemoryPeak &level : peaks.memory)
        json["memory"].push_back(
            {{"name", level.name}, {"bytes", level.bytes}, {"gbps_1", level.gbps1}, {"gbps_all", level.gbpsAll}});
    return json.dump();
}

Outcome<MachinePeaks> machinePeaksFromText(std::string_view text) {
    try {
        const nlohmann::json document = parseJson(text, "", "the text");
        const JsonPart json(document);
        MachinePeaks peaks;
        json.at("model").get_to(peaks.model);
        json.at("cpu").get_to(peaks.cpu);
        json.at("vector_bytes").get_to(peaks.vectorBytes);
        json.at("threads").get_to(peaks.threads);
        json.at("gflops_1").get_to(peaks.gflops1);
        json.at("gflops_all").get_to(peaks.gflopsAll);
        for (const JsonPart &one : json.at("memory").items())
            peaks.memory.push_back({one.at("name").get<std::string>(), one.at("bytes").get<int64_t>(),
                                    one.at("gbps_1").get<double>(), one.at("gbps_all").get<double>()});
        return peaks;
    } catch (const Error &problem) {
        return Refusal{fmt::format("these are not the peaks of a machine: {}", problem.sentence())};
    }
}

} // namespace loopscope
