#pragma once
// Everything one record of a log says, read from its line: for the record's page.

#include "records/logs/log_document.h"
#include "schedule/loop_state.h"
#include "views/session/step_names.h"
#include "views/settings/theme.h"

#include <QString>

namespace loopscope {

struct RecordFacts {
    Record record;
    LogRow row;
    size_t number = 0; // in the log
    NamedSteps steps;
    QString problem; // why the line cannot be read; then there is nothing else
};

/// `dag`: of its workload; null where that is not known, and steps then carry numbers instead of names.
RecordFacts readRecord(const LogDocument &log, size_t number, const DagPtr &dag);

/// As rich text. `taskName`: what its task is called; `why`: its workload is not known.
QString recordHtml(const RecordFacts &facts, const QString &path, const QString &taskName, const QString &why,
                   const Theme &theme);

} // namespace loopscope
