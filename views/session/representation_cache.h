#pragma once
// Forms and disassemblies of the schedules looked at last, so that going back and forth costs nothing.

#include "views/session/session.h"

namespace loopscope {

struct Session::RepresentationCache {
    struct Entry {
        int task = 0; // TaskState::taskId
        ScheduleRef ref;
        RepresentationsPtr representations;
        DisassemblyPtr disassembly;
        QString disassemblyProblem;
        int formsJob = 0;       // under way; 0 none
        int disassemblyJob = 0; // the same
    };
    static constexpr size_t kMost = 48;
    std::vector<std::shared_ptr<Entry>> entries; // the one used last comes last

    /// Made when missing; the oldest that nothing is made for is dropped.
    std::shared_ptr<Entry> entry(int task, const ScheduleRef &ref);
};

} // namespace loopscope
