#pragma once
// What each call of a plan takes, and what the whole takes beyond their sum. Also as a trace that timeline viewers of
// browsers open (chrome_trace.h).

#include "deploy/plan/plan_runner.h"

#include <cstdint>
#include <string>
#include <vector>

namespace loopscope {

struct TimeSummary {
    double least = 0; // seconds
    double median = 0;
    double lower = 0; // quartiles: the spread
    double upper = 0;
    size_t samples = 0;
};
/// Of no sample: all 0.
TimeSummary summaryOf(std::vector<double> seconds);

struct CallProfile {
    std::string name;                          // of the kernel
    std::vector<std::string> nodes;            // of the function
    std::vector<std::string> sources;          // of the imported file
    std::string key;                           // of the task; empty for a copy
    std::string schedule;                      // where the schedule is from
    std::vector<std::vector<int64_t>> outputs; // dims
    TimeSummary time;
    double flops = -1; // -1: unknown
    size_t bytesIn = 0;
    size_t bytesOut = 0;
    size_t weightBytes = 0;
    int64_t threads = 1; // that its loops can keep busy, of those the plan is run with

    [[nodiscard]] double flopsPerSecond() const { return flops > 0 && time.median > 0 ? flops / time.median : 0; }
};

struct PlanProfile {
    std::string network;
    std::string target;
    int threads = 1;
    std::vector<CallProfile> calls; // in order, those that do something
    TimeSummary whole;              // runs that nobody looked into

    /// Of the calls' medians.
    [[nodiscard]] double sumOfCalls() const;
    /// What a run takes beyond its calls; it may be a little below 0, as looking takes time, too.
    [[nodiscard]] double overhead() const { return whole.median - sumOfCalls(); }
};

struct ProfileOptions {
    int warmups = 2;
    int runs = 10; // that are timed whole, and as many call by call, in turn
};

/// On what the inputs hold. Whoever wants times to be comparable has the machine to himself meanwhile
/// (measure/timing/machine_use.h).
PlanProfile profilePlan(PlanRunner &runner, const ProfileOptions &options = {});

} // namespace loopscope
