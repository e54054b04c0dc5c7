#pragma once
// What can be said of one task of a log from its records' columns alone: how its best came about, how its times are
// distributed, which failures there were and how often, which records measure the same schedule again, how far repeats
// scatter, and whether the best is told from the second by more than noise. For jobs.

#include "records/logs/close_records.h"
#include "records/logs/log_document.h"

#include <QString>

#include <atomic>
#include <memory>
#include <vector>

namespace loopscope {

struct TaskFindings {
    struct Point {
        double number = 0; // of the record among those of its task, from 1
        double seconds = 0;
        uint32_t record = 0; // in the log
    };
    struct Failures { // of one kind, for one reason
        QString reason;
        TrialError error = TrialError::None;
        size_t records = 0;
        std::vector<uint32_t> examples; // the first ones
    };
    struct Again { // records of the same steps, or of the same structure
        size_t records = 0;
        size_t failures = 0;
        uint32_t best = UINT32_MAX; // the fastest of them; UINT32_MAX: none has a time
        uint32_t first = 0;
        double least = 0; // seconds; +inf: none has a time
        double greatest = 0;
    };
    struct Bin {
        double from = 0; // seconds
        double to = 0;
        size_t records = 0;
    };

    int task = -1;
    std::vector<uint32_t> all; // its records
    size_t records = 0;
    size_t failed = 0;
    size_t unstable = 0;
    size_t untimed = 0;          // their answers are right
    std::vector<Point> valid;    // in order; of many the least and greatest of every stretch (records/logs/log_curve.h)
    bool thinned = false;        // not every valid record is a point
    std::vector<Point> best;     // every record that was faster than all before it
    std::vector<Point> failedAt; // seconds are 0; thinned likewise
    std::vector<Bin> bins;       // of equal width on a logarithmic axis
    std::vector<Failures> failures; // most frequent first
    std::vector<Again> sameSteps;   // measured more than once, most often first
    std::vector<Again> structures;  // all, the fastest first
    double medianSpread = 0;
    double greatestSpread = 0;
    uint32_t greatestSpreadOf = UINT32_MAX;
    CloseToBest close;
    /// Two sentences: how far the best is ahead of the fastest record of other steps, and whether that is noise.
    QString aboutBest;
};
using TaskFindingsPtr = std::shared_ptr<const TaskFindings>;

/// Null once cancelled.
TaskFindingsPtr findInTask(const LogDocument &log, int task, const std::atomic<bool> &cancelled);

} // namespace loopscope
