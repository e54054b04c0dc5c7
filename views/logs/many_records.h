#pragma once
// Records of a large log become trials only when somebody has said so, and those of a very large one never.

#include <QString>
#include <QWidget>

#include <functional>
#include <vector>

namespace loopscope {

struct OpenLog;

/// Why records of it cannot become trials: a sentence; empty: they can.
QString tooLargeForTrials(const OpenLog &log);
/// Calls `go` at once, or, where one of the logs has very many records, when the user agrees.
void askAboutMany(const std::vector<const OpenLog *> &logs, QWidget &parent, const std::function<void()> &go);

} // namespace loopscope
