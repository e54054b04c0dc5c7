#pragma once
// What every command is given: a workload on a target, and perhaps a record of a log.

#include "language/task/task.h"
#include "language/te/workload.h"
#include "records/record/record.h"
#include "schedule/loop_state.h"

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace loopscope {

/// Arguments that contradict each other or cannot be read: exit code 2.
class UsageError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

struct WorkloadChoice {
    std::string file;                // PATH, or PATH:NAME=VALUE,NAME=VALUE with parameters of its own
    std::vector<std::string> params; // NAME=VALUE
    std::string target = "llvm";
    bool json = false;
};

struct RecordChoice {
    std::string log;
    std::string record = "best";
    std::string script; // of a schedule by hand, instead of a log
};

/// The workload read, ordered and bound to its target. Throws Error or UsageError.
struct LoadedTask {
    Workload workload;
    Task task;
};
LoadedTask loadTask(const WorkloadChoice &choice);

struct ChosenRecord {
    size_t number = 0; // in the log, from 0
    Record record;
    LoopState state;
};
/// The record asked for, replayed on the task. Throws Error when the log has none, when it belongs to another task, or
/// when its steps do not replay (and says which).
ChosenRecord chooseRecord(const RecordChoice &choice, const LoadedTask &loaded);

/// A schedule from wherever it comes.
struct ChosenSchedule {
    std::string name;             // "record 3", "script by_hand.schedule", "the naive schedule"
    std::optional<size_t> record; // its number
    LoopState state;
    int layoutRewrite = 0; // of a record as it was measured; of a script as `tune` does by itself
};
/// The script or the record asked for; the naive schedule when neither is. `json`: the form of a script's refusal.
ChosenSchedule chooseSchedule(const RecordChoice &choice, const LoadedTask &loaded, bool json);
/// The same for commands that measure: throws UsageError when neither is given.
ChosenSchedule requiredSchedule(const RecordChoice &choice, const LoadedTask &loaded, bool json);

/// LOG:NUMBER and LOG:best name a record, "naive" the naive schedule, all else is a script. A file whose own name ends
/// so is a script: `./a:1` exists or it does not.
RecordChoice choiceOf(const std::string &side);

/// What is said about the lines of a log that cannot be read: one text a line, the first few and then their number.
std::vector<std::string> skippedTexts(const RecordLog &log);

/// "1 trial", "64 trials".
std::string countedText(size_t count, const char *one);
/// "-1.9 %" of a change of -0.019; what rounds to nothing has no sign.
std::string percentText(double change);
/// "1.234 ms", "56.7 us": three to four digits with the unit that suits.
std::string timeText(double seconds);
/// 1e9 floating-point operations a second; none for a workload that has none (a lookup, a copy) or whose operations
/// cannot be counted (`flops` <= 0): a figure of 0 would read as a measurement.
std::optional<double> gigaflops(double flops, double seconds);
/// ", 12.3 GFLOP/s" after a time; empty when there is no such figure.
std::string speedText(double flops, double seconds);
/// "4.62422e+08 floating-point operations", "no floating-point operations".
std::string flopsText(double flops);

} // namespace loopscope
