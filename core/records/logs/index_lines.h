#pragma once
// Indexes the whole lines of a log in blocks, by several threads.

#include "records/logs/block_index.h"
#include "records/logs/log_source.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace loopscope {

struct IndexOrder {
    std::string path;   // for sentences
    uint64_t begin = 0; // where a line begins
    int threads = 0;    // 0: as many as the machine has
    const std::atomic<bool> *cancelled = nullptr;
};

/// Hands on the blocks from `begin` to the last newline in their order, on the caller's thread, until `take` returns
/// false or the order is cancelled; whether it came to the end. Where blocks begin and end depends on the text alone.
bool indexLines(LogSource &source, const IndexOrder &order, const std::function<void(BlockIndex block)> &take);

} // namespace loopscope
