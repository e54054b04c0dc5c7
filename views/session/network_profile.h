#pragma once
// A network that was run: what each kernel took and whether its answer was right. Made in a job, never changed after;
// the kernels run in a process of their own.

#include "deploy/network/verify.h"
#include "deploy/plan/profile.h"
#include "deploy/plan_worker/plan_worker.h"
#include "views/session/jobs.h"
#include "views/session/network_kernels.h"

#include <optional>
#include <string>
#include <vector>

namespace loopscope {

struct ProfileRequest {
    int threads = 0; // <= 0: as many as the machine has
    int runs = 20;
    bool check = true;             // every kernel's output against the reference
    std::vector<std::string> logs; // whose records are schedules, the fastest of each task
    size_t alternatives = 1;       // of each kernel so many of them are timed where they run
};

struct NetworkProfile {
    NetworkKernelsPtr kernels; // that were run
    PlanProfile profile;
    std::vector<std::set<std::string>> sources; // by call of the profile: names of nodes in the file
    size_t seeded = 0;                          // weights, one number throughout, that random numbers stood in for
    size_t recorded = 0;                        // tasks with a schedule from a log
    size_t tasks = 0;                           // that have one or should
    std::vector<std::string> notes;             // of logs, and of records that do not fit
    /// By call of the profile; none where nobody asked, or where the reference has no such value.
    std::vector<std::optional<CallVerdict>> verdicts;
    [[nodiscard]] bool checked() const { return !verdicts.empty(); }
    /// Of the first call that is wrong; empty: none is.
    std::string firstWrong;
    double worst = 0;             // error of what is allowed, over all calls
    size_t rechosen = 0;          // tasks whose schedule another one outran where it runs
    double secondsUnselected = 0; // seconds of a run without that; 0: nobody asked
    double secondsSelected = 0;
};
using NetworkProfilePtr = std::shared_ptr<const NetworkProfile>;

/// With seeded inputs; the plan is to be written there.
PlanRunRequest planRunRequest(const GraphFunction &function, const std::string &plan, int threads);

/// For a job's thread; null when cancelled. Throws Error with the sentence of what cannot be done. Exported models for
/// tests have weights that are one number throughout, which would make every answer right: seeded random numbers stand
/// in for them (deploy/network/weights.h).
NetworkProfilePtr profileNetwork(const NetworkContents &contents, NetworkKernelsPtr shown, const KernelChoice &choice,
                                 const QString &name, const ProfileRequest &wanted, JobControl &control);

/// "1.2 ms on 2 threads (1.1 to 1.3 ms), 0.1 ms of it between kernels; ...": how it went.
QString profileSentence(const NetworkProfile &profile);

} // namespace loopscope
