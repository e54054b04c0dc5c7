#include "workbench/log_model.h"

#include "search/moves/learnt_model.h"

namespace loopscope {

std::vector<size_t> ownRecords(const RecordLog &log, const Task &task) {
    std::vector<size_t> own;
    for (size_t i = 0; i < log.records.size(); ++i)
        if (recordMatches(log.records[i], task) && targetMatches(log.records[i], task.target)) own.push_back(i);
    return own;
}

std::unique_ptr<CostModel> modelOf(const std::vector<const RecordLog *> &logs, const Task &task, ThreadPool &pool) {
    std::vector<MeasuredSchedule> measured;
    for (const RecordLog *log : logs)
        for (const size_t own : ownRecords(*log, task)) {
            const Trial &trial = log->records[own].trial;
            if (trial.valid() && trial.seconds.empty()) continue; // right, but how fast nobody knows
            measured.push_back({trial.steps, trial.valid() ? trial.cost() : 0});
        }
    return modelThatLearnt(task.dag, task.target, measured, pool).model;
}

} // namespace loopscope
