#include "log_model.h"

#include "search/candidate.h"

#include <string>

namespace loopscope {

namespace {

constexpr size_t kEnoughRecords = 16; // to ask a model that learnt from them

} // namespace

std::vector<size_t> ownRecords(const RecordLog &log, const LoadedTask &loaded) {
    std::vector<size_t> own;
    for (size_t i = 0; i < log.records.size(); ++i)
        if (recordMatches(log.records[i], loaded.task) && targetMatches(log.records[i], loaded.task.target))
            own.push_back(i);
    return own;
}

std::unique_ptr<CostModel> modelOf(const std::vector<const RecordLog *> &logs, const LoadedTask &loaded,
                                   ThreadPool &pool) {
    std::vector<const Record *> records;
    for (const RecordLog *log : logs)
        for (const size_t own : ownRecords(*log, loaded)) records.push_back(&log->records[own]);
    std::vector<TrainingSample> samples(records.size());
    std::vector<Scratch> scratch(static_cast<size_t>(pool.threads()));
    pool.forEach(records.size(), [&](size_t i, int worker) {
        Candidate candidate;
        candidate.steps = records[i]->trial.steps.unpack();
        std::string reason;
        if (!evaluate(loaded.task.dag, loaded.task.target, candidate, scratch[static_cast<size_t>(worker)], reason))
            return;
        samples[i].rows = *candidate.rows;
        samples[i].seconds = records[i]->trial.valid() ? records[i]->trial.cost() : 0;
    });
    std::erase_if(samples, [](const TrainingSample &sample) { return sample.rows.empty(); });
    if (samples.size() < kEnoughRecords) return nullptr;
    auto model = makeXgboostModel({});
    (void)model->update(samples);
    return model;
}

} // namespace loopscope
