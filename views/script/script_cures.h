#pragma once
// What would be legal instead, put where it belongs: a word of the line that stops a script, or a line in front of it.

#include "language/dag/compute_dag.h"
#include "schedule/script/schedule_script.h"

#include <QString>
#include <QStringList>

namespace loopscope {

/// What can be put into the text, the likeliest first; not what only says how such a line reads.
QStringList scriptCures(const ScriptProblem &problem);

struct CuredScript {
    QString text;
    int line = 0; // behind what was put there, from 1, in bytes
    int column = 0;
};
/// Where the reader of scripts gets further with it; else where the problem is.
CuredScript cureScript(const DagPtr &dag, const QString &text, const ScriptProblem &problem, const QString &cure);

} // namespace loopscope
