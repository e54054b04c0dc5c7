#pragma once
// Which records cannot be told from the best: their times lie behind it by no more than times scatter. Whoever takes
// the best of a log may as well take one of these.

#include "records/logs/log_diff.h"
#include "records/logs/log_document.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace loopscope {

/// How far a record's time is taken to scatter, as a share of it: by its repeats (LogRow::spread); of a single time
/// nobody knows, and a time that never settled scatters at least so much: kMinScatter.
double noiseOf(const LogRow &row);

struct CloseRecord {
    uint32_t record = 0;
    double behind = 0; // how much longer it takes than the best, as a share
    double noise = 0;  // the greater one of both; it is close when `behind` is not more
};

struct CloseToBest {
    uint32_t best = UINT32_MAX;     // UINT32_MAX: no record has a time
    size_t others = 0;              // other schedules with a time: lists of steps, each counted once
    bool guessed = false;           // the best or one of `close` has a single time
    CloseRecord second;             // the fastest of other steps, close or not; only where there are others
    std::vector<CloseRecord> close; // the fastest record of each other schedule that is close, the fastest first
};

/// Records of one task, in any order: as recordsOfTask gives them.
CloseToBest closeToBest(const LogDocument &log, std::span<const uint32_t> records);
/// Of each task of the log.
std::vector<CloseToBest> closeToBest(const LogDocument &log);

} // namespace loopscope
