#include "lock_options.h"

#include "choice.h"
#include "schedule/locks/lock_pattern.h"

namespace loopscope {

std::shared_ptr<const ScheduleLocks> lockedBy(const std::vector<std::string> &patterns, const DagPtr &dag,
                                              const Steps *schedule) {
    if (patterns.empty()) return nullptr;
    auto locks = std::make_shared<ScheduleLocks>();
    for (const std::string &pattern : patterns) {
        ReadLocks read = schedule != nullptr ? readLocks(pattern, dag, *schedule) : readLocks(pattern);
        if (read.problem)
            throw UsageError(read.problem->text(pattern) +
                             (schedule != nullptr ? "" : "; --start-from FILE is the schedule whose steps are locked"));
        for (ScheduleLock &lock : read.locks) locks->add(std::move(lock));
    }
    return locks;
}

} // namespace loopscope
