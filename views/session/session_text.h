#pragma once
// A session file as it stands on disk: whether this program can read it, and what can be read of it where it is damaged
// or of a newer program.

#include <QByteArray>
#include <QJsonObject>
#include <QString>

namespace loopscope {

/// The number is raised when an older program would lose what a file holds; files of older programs are read.
///  1  workloads, logs, what is known of trials
///  2  schedules made by hand, drafts of scripts
/// Logs and networks that are open as documents need no number of their own: an older program opens everything else.
inline constexpr int kSessionVersion = 2;

struct SessionText {
    QJsonObject root; // what can be read
    QString problem;  // why that is not all of it, or none of this program's; empty: it is whole
};
SessionText readSessionText(const QByteArray &bytes);

/// "matmul (edited, 128 trials, 3 pinned), conv2d"; empty when there is nothing in it.
QString sessionHolds(const QJsonObject &root);

} // namespace loopscope
