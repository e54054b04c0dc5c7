#pragma once
// What a comparison says, as rich text for labels and pages: of all tasks, of one, and of the steps of its two bests.

#include "records/logs/log_diff.h"
#include "views/settings/theme.h"

#include <QString>

namespace loopscope {

/// "A", in the colour of that log.
QString logLetterHtml(size_t log, const Theme &theme);
/// Geometric means and counts in a line.
QString diffFiguresHtml(const LogDiff &diff, size_t other, const Theme &theme);
/// Both bests with the ranges of their times, the verdict, the sketches they share, and what makes the ratio doubtful.
QString taskDiffHtml(const TaskDiff &task, size_t other, const Theme &theme);
/// As `diff` marks them, in words.
QString stepDiffHtml(const TaskDiff &task, size_t other, const Theme &theme);

} // namespace loopscope
