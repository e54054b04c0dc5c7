#pragma once
// In what the records of a task differ (lengths of tiles, annotations, places) and how fast each value was, by the
// names its workload gives: core's choices (schedule/choices/choice_table.h) over records of a log. For jobs.

#include "records/logs/log_document.h"
#include "schedule/loop_state.h"

#include <QString>

#include <atomic>
#include <vector>

namespace loopscope {

struct TaskChoices {
    struct Value {
        QString text;
        size_t records = 0;
        double least = 0; // seconds
    };
    struct Line {
        QString name;
        double share = -1;         // of what the differences in time are attributed to; -1: not weighed
        QString ofBest;            // the best record's value
        std::vector<Value> values; // the fastest first
        size_t fastest = 0;        // record that has the least time of the first value
    };
    std::vector<Line> lines; // the weightiest first
    double explained = 0;    // of the variance of log times, of records the weights were not made from
    size_t records = 0;      // looked at
    size_t of = 0;           // valid records of the task
};

/// At most some thousands of its records are looked at, spread evenly, the best among them. Empty once cancelled.
TaskChoices choicesOfTask(const LogDocument &log, int task, const DagPtr &dag, const std::atomic<bool> &cancelled);

} // namespace loopscope
