#pragma once
// Do times of a log still hold on this machine? Records of one task are replayed, checked as every trial is, and timed
// in turn, so that all see the same machine.

#include "measure/measurer.h"
#include "measure/timing/time_interval.h"
#include "records/record/record.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace loopscope {

struct VerifiedRecord {
    int line = 0;        // in the log
    double recorded = 0; // seconds: what a search ranks the record by (Trial::cost)
    TimeInterval time;   // unknown when it failed
    bool holds = false;  // the recorded time lies within the interval, widened by the tolerance
    std::string reason;  // why there is no time; empty: there is one
};

struct VerifyOptions {
    double tolerance = 0.05; // of the ends of the interval
    int rounds = 15;
};

/// The recorded time lies between `low` less and `high` more the tolerance.
bool recordHolds(double recorded, const TimeInterval &time, double tolerance);

/// Valid records of the measurer's task, in their order. What was cancelled is left out.
std::vector<VerifiedRecord> verifyRecords(std::span<const Record> records, Measurer &measurer,
                                          const VerifyOptions &options, const MeasureWatch &watch = {},
                                          const std::function<void(size_t done, size_t of)> &onProgress = {});

} // namespace loopscope
