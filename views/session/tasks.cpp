#include "views/session/tasks.h"

#include "language/target/target_identity.h"
#include "views/session/text.h"

#include <QStringList>

#include <algorithm>
#include <utility>

namespace loopscope {

namespace {

/// Swaps the shown task for `next`; the one left joins the others when it is worth keeping.
int leaveFor(Document &document, TaskState next) {
    TaskState &shown = document;
    TaskState left = std::exchange(shown, std::move(next));
    if (!left.worthKeeping()) return left.taskId;
    document.others.push_back(std::move(left));
    return 0;
}

TaskState takeOther(Document &document, std::vector<TaskState>::iterator at) {
    TaskState taken = std::move(*at);
    document.others.erase(at);
    return taken;
}

} // namespace

bool isTask(const TaskState &state, const Task &task) {
    return state.task && state.task->key == task.key && state.task->target.text() == task.target.text();
}

const TaskState *taskOf(const Document &document, int taskId) {
    if (document.taskId == taskId) return &document;
    const auto found = std::find_if(document.others.begin(), document.others.end(),
                                    [taskId](const TaskState &state) { return state.taskId == taskId; });
    return found == document.others.end() ? nullptr : &*found;
}

TaskState *taskOf(Document &document, int taskId) {
    return const_cast<TaskState *>(taskOf(std::as_const(document), taskId));
}

std::vector<const TaskState *> tasksOf(const Document &document) {
    std::vector<const TaskState *> tasks{&document};
    for (const TaskState &other : document.others) tasks.push_back(&other);
    return tasks;
}

std::vector<const TaskState *> tasksLike(const std::vector<const Document *> &documents, const TaskState &task) {
    std::vector<const TaskState *> tasks;
    for (const Document *document : documents)
        for (const TaskState *other : tasksOf(*document))
            if (other->taskId != task.taskId && other->task && task.task && other->task->key == task.task->key)
                tasks.push_back(other);
    return tasks;
}

int enterTask(Document &document, const Task &task, int freshId) {
    const auto kept = std::find_if(document.others.begin(), document.others.end(),
                                   [&](const TaskState &state) { return isTask(state, task); });
    if (kept != document.others.end()) return leaveFor(document, takeOther(document, kept));
    TaskState fresh;
    fresh.taskId = freshId;
    fresh.name = document.name;
    fresh.setup = document.setup;
    if (document.worthKeeping()) {
        fresh.setup.logPath.clear(); // two tasks in one file would be a choice; nobody made it
        return leaveFor(document, std::move(fresh));
    }
    fresh.taskId = document.taskId; // nothing has happened to it yet: the same, of another shape
    static_cast<TaskState &>(document) = std::move(fresh);
    return 0;
}

int showTaskOf(Document &document, int taskId) {
    const auto kept = std::find_if(document.others.begin(), document.others.end(),
                                   [taskId](const TaskState &state) { return state.taskId == taskId; });
    if (kept == document.others.end()) return 0;
    // What is in the editor now belongs to the task left, even where it is half typed.
    document.source = {document.text, document.params, document.targetText};
    const int gone = leaveFor(document, takeOther(document, kept));
    document.text = document.source.text;
    document.params = document.source.params;
    document.targetText = document.source.targetText;
    document.modified = document.savedText.isNull() || document.text != document.savedText;
    return gone;
}

void markUnknown(Document &document, const QString &more) {
    document.targetText = document.source.targetText;
    document.problem = Problem{
        QStringLiteral("the workload of this log is not known: neither the open ones, nor the samples, nor the files "
                       "beside the log, nor those opened lately have its task") +
            (more.isEmpty() ? QString() : QStringLiteral(". ") + more),
        {},
        document.logPath,
        0,
        0};
}

QString taskParamsText(const TaskState &state) {
    QStringList parts;
    if (state.workload) {
        for (const WorkloadParam &param : state.workload->params)
            if (param.value != param.fallback) parts << QStringLiteral("%1 = %2").arg(qt(param.name)).arg(param.value);
    } else {
        for (const auto &[name, value] : state.source.params)
            parts << QStringLiteral("%1 = %2").arg(qt(name)).arg(value);
    }
    return parts.join(QStringLiteral(", "));
}

QString targetName(const TaskState &state) {
    const QString &written = state.source.targetText;
    if (!state.task) return written;
    const QString identity = qt(identityOf(state.task->target).text());
    return identity.size() < written.size() ? identity : written;
}

QString taskTitle(const TaskState &state) {
    const QString params = taskParamsText(state);
    return QStringLiteral("%1%2 on %3")
        .arg(state.name, params.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(params), state.source.targetText);
}

QString taskDifferenceText(const Document &document, const TaskState &state) {
    const std::vector<const TaskState *> tasks = tasksOf(document);
    const bool targets = std::any_of(tasks.begin(), tasks.end(), [&](const TaskState *other) {
        return other->source.targetText != state.source.targetText;
    });
    const QString params = taskParamsText(state);
    const QString sizes = params.isEmpty() ? QStringLiteral("as written") : params;
    return targets ? QStringLiteral("%1 on %2").arg(sizes, targetName(state)) : sizes;
}

QString searchVerb(const TaskState &state) {
    switch (state.search.state) {
    case SearchState::Running:
    case SearchState::Stopping:
        return QStringLiteral("Pause");
    case SearchState::Pausing:
    case SearchState::Paused:
        return QStringLiteral("Continue");
    case SearchState::Idle:
    case SearchState::Finished:
    case SearchState::Failed:
        break;
    }
    return state.trials.empty() ? QStringLiteral("Start") : QStringLiteral("Continue"); // it learns from what is there
}

QString taskProgressText(const TaskState &state) {
    QStringList parts;
    const size_t count = state.trials.size();
    parts << trialCountText(count);
    if (state.best >= 0 && static_cast<size_t>(state.best) < count)
        parts << QStringLiteral("best %1").arg(timeText(state.trials[static_cast<size_t>(state.best)].seconds()));
    switch (state.search.state) {
    case SearchState::Running:
        parts << QStringLiteral("search running");
        break;
    case SearchState::Pausing:
    case SearchState::Paused:
        parts << QStringLiteral("search paused");
        break;
    case SearchState::Stopping:
        parts << QStringLiteral("search stopping");
        break;
    case SearchState::Failed:
        parts << QStringLiteral("search failed");
        break;
    case SearchState::Idle:
    case SearchState::Finished:
        break;
    }
    return parts.join(QStringLiteral(", "));
}

} // namespace loopscope
