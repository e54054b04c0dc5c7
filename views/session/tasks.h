#pragma once
// The tasks of a document: which one a task is, and going from one to another. A change of text, parameters or target
// makes another task; what was searched before stays where it was, ready to be gone back to.

#include "views/session/document.h"

namespace loopscope {

/// The same key on the same target: the same records count.
[[nodiscard]] bool isTask(const TaskState &state, const Task &task);
/// Shown or not; null when there is none.
[[nodiscard]] TaskState *taskOf(Document &document, int taskId);
[[nodiscard]] const TaskState *taskOf(const Document &document, int taskId);
/// All that people can go to, the one shown first.
[[nodiscard]] std::vector<const TaskState *> tasksOf(const Document &document);

/// Those of all open documents that compute the same as `task`, on whatever target, `task` itself left out.
[[nodiscard]] std::vector<const TaskState *> tasksLike(const std::vector<const Document *> &documents,
                                                       const TaskState &task);

/// Makes `task` the one shown: the state kept for it when there is one, else a new one numbered `freshId` that goes on
/// with the setup of the one left. That one joins the others when it is worth keeping; when it is not, and another
/// takes its place, its number is returned, else 0.
int enterTask(Document &document, const Task &task, int freshId);
/// Shows the kept task with the text, parameters and target it was made from. Returns as enterTask.
int showTaskOf(Document &document, int taskId);

/// The document is a log of a task whose workload nobody knows: its problem says so, for every view that would show
/// more. `more`: what was tried besides.
void markUnknown(Document &document, const QString &more = {});

/// "N = 1, CI = 512": the parameters that differ from the text's own.
[[nodiscard]] QString taskParamsText(const TaskState &state);
/// What it is for, in as few words as tell it: as somebody wrote it, or, where a log spells out every limit, what
/// decides how fast it is: "cuda -arch=sm_80".
[[nodiscard]] QString targetName(const TaskState &state);
/// "matmul (N = 64) on llvm"
[[nodiscard]] QString taskTitle(const TaskState &state);
/// What tells the tasks of one document apart: "M = 48", "as written", and the target where they differ in it.
[[nodiscard]] QString taskDifferenceText(const Document &document, const TaskState &state);
/// "Start", "Pause" or "Continue": what the one button of the search does now, wherever it stands.
[[nodiscard]] QString searchVerb(const TaskState &state);
/// "64 trials, best 1.23 ms, searching": what stands behind it.
[[nodiscard]] QString taskProgressText(const TaskState &state);

} // namespace loopscope
