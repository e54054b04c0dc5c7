#include "measure/fleet/reference_kernel.h"

#include "measure/timing/machine_use.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

namespace loopscope {

namespace {

constexpr size_t kElements = 2048; // 8 KiB: in the first cache of every processor
constexpr int kPasses = 20000;
constexpr int kSamples = 9;

/// The compiler may not know what is in it, nor leave a pass out.
float computed(std::array<float, kElements> &values) {
    for (int pass = 0; pass < kPasses; ++pass) {
        for (float &value : values) value = value * 0.999F + 0.5F;
        asm volatile("" : : "r"(values.data()) : "memory");
    }
    return values[kElements / 2];
}

} // namespace

double referenceSeconds(const std::atomic<bool> *cancel) {
    alignas(64) std::array<float, kElements> values{};
    std::vector<double> seconds;
    for (int sample = 0; sample < kSamples; ++sample) {
        const auto turn = MachineUse::begin(MachineUse::Kind::Timing, cancel);
        if (!turn) return 0;
        const auto begin = std::chrono::steady_clock::now();
        volatile float result = computed(values);
        (void)result;
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    // The fastest third: whatever else ran there only adds.
    std::sort(seconds.begin(), seconds.end());
    return seconds[kSamples / 6];
}

} // namespace loopscope
