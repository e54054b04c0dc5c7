#include "views/session/session_snapshot.h"

#include "views/session/locks_json.h"
#include "views/session/session_json.h"

#include <QJsonArray>

namespace loopscope {

TaskSnapshot snapshotOf(const TaskState &state) {
    TaskSnapshot snapshot;
    snapshot.facts = {{jsonKey("name"), state.name},
                      {jsonKey("log"), state.logPath},
                      {jsonKey("naive_seconds"), state.naiveSeconds},
                      {jsonKey("naive_compared"), intervalToJson(state.naiveCompared)},
                      {jsonKey("naive_comparison"), state.naiveComparison},
                      {jsonKey("comparisons"), state.comparisons},
                      {jsonKey("winner"), state.winner},
                      {jsonKey("decided"), state.decided},
                      {jsonKey("best"), state.best},
                      {jsonKey("setup"), setupToJson(state.setup)},
                      {jsonKey("search_ended"), state.search.ended},
                      {jsonKey("search_elapsed"), state.search.elapsed},
                      {jsonKey("search_done"), state.search.done},
                      {jsonKey("search_total"), state.search.total}};
    if (const QJsonObject locks = locksToJson(state); !locks.isEmpty()) snapshot.facts[jsonKey("locks")] = locks;
    snapshot.kept.trials = state.trials;
    snapshot.kept.rounds = state.rounds;
    snapshot.kept.baseline = state.baseline;
    return snapshot;
}

void addEdits(TaskSnapshot &snapshot, const TaskState &state) {
    snapshot.edits = savedEdits(state);
    if (!state.draft) return;
    const ScheduleRef of = savedRef(state, state.draft->of);
    snapshot.facts[jsonKey("draft")] = QJsonObject{{jsonKey("schedule"), static_cast<int>(of.kind)},
                                                   {jsonKey("number"), of.number},
                                                   {jsonKey("text"), state.draft->text}};
}

QJsonObject TaskSnapshot::json() const {
    QJsonObject json = facts;
    AncestorTable ancestors;
    json[jsonKey("rounds")] = roundsToJson(kept.rounds);
    json[jsonKey("trials")] = trialsToJson(kept, ancestors);
    json[jsonKey("ancestors")] = ancestors.json;
    if (!edits.empty()) json[jsonKey("edits")] = editsToJson(edits);
    return json;
}

QJsonObject SessionSnapshot::json() const {
    QJsonArray all;
    for (const Shown &document : documents) {
        QJsonObject json = document.task.json();
        QJsonArray others;
        for (const TaskSnapshot &other : document.others) others.append(other.json());
        if (!others.isEmpty()) json[jsonKey("other_tasks")] = others;
        all.append(json);
    }
    QJsonObject json = facts;
    json[jsonKey("documents")] = all;
    return json;
}

} // namespace loopscope
