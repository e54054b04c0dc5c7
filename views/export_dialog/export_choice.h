#pragma once
// Which schedule is to be exported, as core wants it: the steps, the layout and the times of whatever is shown, or the
// reason why that cannot leave as code.

#include "records/export/export_schedule.h"
#include "views/session/document.h"

#include <QString>

#include <optional>

namespace loopscope {

struct ExportChoice {
    QString schedule; // "trial 17 of matmul"
    std::optional<ExportRequest> request;
    QString refusal; // a sentence; empty: there is a request
};

ExportChoice exportChoice(const Document *document, const ScheduleRef &ref);

} // namespace loopscope
