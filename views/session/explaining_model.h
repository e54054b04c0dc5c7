#pragma once
// A cost model that has learnt the trials of the task shown, for whoever asks what it makes of a schedule. It learns in
// the job that asks, and again when there are a quarter more trials than it knows; the search has a model of its own.

#include "language/task/task.h"
#include "search/moves/learnt_model.h"
#include "views/session/document.h"

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace loopscope {

class ExplainingModel {
  public:
    /// What a job needs to have a model; made on the UI thread, in no time when the model knows enough.
    struct Question {
        int taskId = 0;
        std::shared_ptr<const Task> task;
        size_t trials = 0;                     // there are
        std::vector<MeasuredSchedule> toLearn; // empty: the model knows enough
    };
    [[nodiscard]] Question ask(const TaskState &state);

    /// In a job: use(model, trials it learnt from), one at a time; null while there are too few trials.
    template <typename Use> auto answer(const Question &question, const Use &use) {
        const std::lock_guard<std::mutex> lock(m_mutex);
        learn(question);
        const bool own = m_taskId == question.taskId;
        auto *model = own ? m_learnt.model.get() : nullptr;
        return use(model, model != nullptr ? m_learnt.schedules : size_t{0});
    }

  private:
    void learn(const Question &question);

    // Of the UI thread: what was asked to be learnt last.
    int m_askedTask = -1;
    size_t m_asked = 0;

    std::mutex m_mutex; // the rest
    int m_taskId = -1;
    LearntModel m_learnt;
};

} // namespace loopscope
