#pragma once
// One measured candidate. A failed trial is data, not an error: its kind, its reason and its place are kept.

#include "schedule/packed_steps.h"

#include <cstdint>
#include <string>
#include <vector>

namespace loopscope {

/// The error numbers of TVM's MeasureErrorNo; the log stores the number.
enum class TrialError : uint8_t {
    None = 0,
    Instantiation = 1, // steps could not be applied or lowered
    CompileHost = 2,
    CompileDevice = 3, // also: the built object could not be loaded
    RuntimeDevice = 4, // crashed, aborted, exited, out of memory, wrote past a buffer
    WrongAnswer = 5,
    BuildTimeout = 6,
    RunTimeout = 7,
    Unknown = 8,
};
std::string_view trialErrorName(TrialError error); // "wrong-answer", ...

/// What a log line keeps of a time: six significant digits, a format older than this program.
double loggedSeconds(double seconds);

struct Trial {
    PackedSteps steps;           // shared by the copies of a trial
    std::string reason;          // sentence; empty when it was timed
    std::vector<double> seconds; // every repeat, per call
    TrialError error = TrialError::None;
    bool unstable = false; // the best samples never agreed within 3 %
    double maxError = 0;   // largest |kernel - reference| over the tolerance; <= 1 is right
    double buildSeconds = 0;
    double runSeconds = 0;
    int64_t timestamp = 0; // Unix seconds
    std::string machine;   // where it was measured, when that was another one
    /// It was timed as a kernel of a network: SamplingOptions::weightBytes. Such times and others do not compare.
    int64_t weightBytes = 0;

    [[nodiscard]] bool valid() const { return error == TrialError::None; }
    /// Seconds of one call: the agreed time of measure/timing/sampling.h. The search ranks by it, the model learns it,
    /// the best of a log is the least of it, and it is what people are shown. +inf when nothing was timed.
    [[nodiscard]] double cost() const;
    [[nodiscard]] double median() const; // of all repeats, to judge how much they scatter; +inf when there is none
};

} // namespace loopscope
