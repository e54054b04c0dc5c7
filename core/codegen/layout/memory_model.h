#pragma once
// What of a machine's memory the price of a layout depends on. The defaults are those of the worked examples the model
// is checked with: 32 KB of 8 ways, 1 MB of 16, 64 pages of 4 KB.

#include "language/target/target.h"

#include <cstdint>
#include <string>
#include <vector>

namespace loopscope {

struct MemoryLevel {
    std::string name; // "L1"
    int64_t bytes = 0;
    int64_t ways = 1;
    double missCycles = 0;  // what a line costs that is not in it
    int64_t lineBytes = 64; // of the page table's cache: a page
    [[nodiscard]] int64_t lines() const { return bytes / lineBytes; }
    [[nodiscard]] int64_t sets() const { return lines() / ways > 0 ? lines() / ways : 1; }
    bool operator==(const MemoryLevel &) const = default;
};

struct MemoryModel {
    /// Innermost first. The last is the cache of page addresses (TLB), whose lines are pages.
    std::vector<MemoryLevel> levels = {
        {"L1", 32 * 1024, 8, 14, 64}, {"L2", 1024 * 1024, 16, 50, 64}, {"pages", 64 * 4096, 64, 30, 4096}};
    int64_t vectorBytes = 32;
    double accessCycles = 0.5; // of a load or store, two of which may be under way
    double laneCycles = 1;     // of a lane that is put into its vector by itself
    bool operator==(const MemoryModel &) const = default;
};

/// The caches of a processor, as far as its target says.
MemoryModel memoryModelOf(const Target &target);

} // namespace loopscope
