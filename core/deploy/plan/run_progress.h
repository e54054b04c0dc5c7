#pragma once
// Where a run of a plan is, for who watches it from another process: kernels may never return. It lies in memory that
// both have.

#include <atomic>
#include <cstdint>
#include <string_view>

namespace loopscope {

struct RunProgress {
    static constexpr uint64_t kNoCall = UINT64_MAX;

    std::atomic<uint64_t> begun = 0;      // calls, in all runs
    std::atomic<uint64_t> call = kNoCall; // of the plan: the one that runs
    char name[240] = {};                  // of it, where whoever watches does not know the plan; ends with a zero

    void begin(uint64_t number) {
        call.store(number, std::memory_order_relaxed);
        begun.store(begun.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    void end() { call.store(kNoCall, std::memory_order_relaxed); }
    void setName(std::string_view text) {
        const size_t size = text.copy(name, sizeof name - 1);
        name[size] = '\0';
    }
};

} // namespace loopscope
