#include "views/session/explaining_model.h"

#include <algorithm>

namespace loopscope {

ExplainingModel::Question ExplainingModel::ask(const TaskState &state) {
    Question question{state.taskId, state.task, state.trials.size(), {}};
    const bool known = m_askedTask == state.taskId && question.trials >= m_asked &&
                       4 * question.trials < 5 * std::max(m_asked, kEnoughToLearn);
    if (known || question.trials < kEnoughToLearn) return question;
    m_askedTask = state.taskId;
    m_asked = question.trials;
    question.toLearn.reserve(question.trials);
    for (const TrialEntry &entry : state.trials)
        if (!entry.untimed()) question.toLearn.push_back({entry.trial.steps, entry.valid() ? entry.trial.cost() : 0});
    return question;
}

void ExplainingModel::learn(const Question &question) {
    if (question.toLearn.empty()) return;
    ThreadPool pool(1); // beside a search that has the others
    m_taskId = question.taskId;
    m_learnt = modelThatLearnt(question.task->dag, question.task->target, question.toLearn, pool);
}

} // namespace loopscope
