#include "search/moves/learnt_model.h"

#include "search/candidate.h"

#include <algorithm>
#include <string>
#include <utility>

namespace loopscope {

LearntModel modelThatLearnt(const DagPtr &dag, const Target &target, const std::vector<MeasuredSchedule> &measured,
                            ThreadPool &pool, const std::atomic<bool> *cancel) {
    LearntModel learnt;
    std::vector<TrainingSample> samples(measured.size());
    std::vector<Scratch> scratch(static_cast<size_t>(pool.threads()));
    pool.forEach(measured.size(), [&](size_t i, int worker) {
        if (cancel != nullptr && *cancel) return;
        Candidate candidate;
        candidate.steps = measured[i].steps.unpack();
        std::string reason;
        if (!evaluate(dag, target, candidate, scratch[static_cast<size_t>(worker)], reason)) return;
        samples[i].rows = *candidate.rows;
        samples[i].seconds = measured[i].seconds;
    });
    std::erase_if(samples, [](const TrainingSample &sample) { return sample.rows.empty(); });
    if ((cancel != nullptr && *cancel) || samples.size() < kEnoughToLearn) return learnt;
    auto model = makeXgboostModel({});
    (void)model->update(samples, cancel);
    if (!model->trained()) return learnt;
    learnt.model = std::move(model);
    learnt.schedules = samples.size();
    for (const TrainingSample &sample : samples)
        if (sample.seconds > 0 && (learnt.bestSeconds <= 0 || sample.seconds < learnt.bestSeconds))
            learnt.bestSeconds = sample.seconds;
    return learnt;
}

} // namespace loopscope
