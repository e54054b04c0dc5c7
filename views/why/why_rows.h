#pragma once
// What the session knows of a schedule's speed, as rows and sentences of the view. Pure.

#include "measure/disassembly.h"
#include "views/session/document.h"
#include "views/session/explanations.h"
#include "views/session/representations.h"
#include "views/why/reason_table.h"

#include <QString>

#include <vector>

namespace loopscope {

/// The innermost loop at or around a line of the final program; null when there is none.
const ProgramNode *loopAtLine(const std::vector<ProgramNode> &nodes, int line);

/// Loop, who says it, what.
std::vector<WhyRow> remarkRows(const std::vector<CompilerRemark> &remarks, const std::vector<ProgramNode> &nodes);
/// Predicted change of time, the step.
std::vector<WhyRow> moveRows(const Advice &advice);
/// Trial, time, time against that of the schedule shown and against that of the baseline, in what it differs. Times of
/// a comparison that both took part in have a star; all others are first times, the only ones that go together.
std::vector<WhyRow> neighbourRows(const Advice &advice, const TaskState &state);
/// What their table is called: "Nearest measured schedules", as long as one of them was timed.
QString nearestTitle(const Advice &advice, const TaskState &state);
/// Which times stand in these rows: for the title of their table.
QString neighbourTimes(const Advice &advice, const TaskState &state);
/// "Estimated 3.7 M cycles on the busiest core, 65 % of them L2 loads. The model that learnt from 48 trials gives it
/// 0.697 of the best speed."; the problem where there is nothing.
QString explainedSentence(const Explained &explained);

} // namespace loopscope
