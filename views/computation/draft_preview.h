#pragma once
// What a draft would become: its text, the ComputeDAG, its facts, or what is wrong with it. Pure; for a job's thread.

#include "views/computation/task_facts.h"
#include "views/computation/workload_draft.h"
#include "views/session/document.h"

#include <optional>

namespace loopscope {

struct DraftPreview {
    QString text;
    QString dagText;
    std::optional<Problem> problem; // then there is no DAG
    std::optional<TaskFacts> facts;
    QString shape; // of the result
};

DraftPreview previewDraft(const Draft &draft);

} // namespace loopscope
