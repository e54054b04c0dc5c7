#pragma once
// Records that are nearly the same schedule: the same steps but for one number (a length of a split, the value of a
// pragma), or other steps that come to the same loops. Those that agree were measured in vain; where the times are
// further apart than they scatter, that one number matters, or one of the times is wrong.

#include "language/dag/compute_dag.h"
#include "records/logs/log_document.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace loopscope {

struct NearDuplicates {
    struct Member {
        uint32_t record = 0;
        std::string value; // of the number they differ in; empty of a group of the same loops
    };
    /// "length 2 of 3 of the split of loop 0 of stage 2 (step 0)"; with a computation "... of i of C ..."; empty: they
    /// come to the same loops by other steps.
    std::string where;
    std::vector<Member> members; // two or more, the fastest record of each list of steps, the fastest first
    double ratio = 1;            // the slowest time over the fastest
    double noise = 0;            // the greater one of these two (noiseOf)
    [[nodiscard]] bool apart() const { return ratio - 1 > noise; }
};

struct FoundDuplicates {
    std::vector<NearDuplicates> groups; // those apart first, by ratio; then the others, by their fastest time
    size_t groupsInAll = 0;
    size_t apart = 0;      // of them
    size_t looked = 0;     // schedules whose steps were read: the fastest ones
    size_t of = 0;         // schedules with a time: lists of steps, each counted once
    bool replayed = false; // other steps that come to the same loops were looked for, too
};

struct DuplicateOptions {
    size_t most = 5000; // schedules looked at
    size_t maxGroups = 500;
    /// What the task computes: gives names, and finds other steps that come to the same loops. Null: neither.
    DagPtr dag = nullptr;
    /// Only groups that hold this record, which is looked at whatever its time; UINT32_MAX: all.
    uint32_t about = UINT32_MAX;
    const std::atomic<bool> *cancelled = nullptr;
};

/// Records of one task. Empty once cancelled. Throws Error when the log is no longer what it was.
FoundDuplicates nearDuplicates(const LogDocument &log, std::span<const uint32_t> records,
                               const DuplicateOptions &options);

} // namespace loopscope
