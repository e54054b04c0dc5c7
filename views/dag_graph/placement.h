#pragma once
// Where the chosen schedule computes each stage: at root, inlined, or inside a loop of another one; and the stages it
// added, which stand beside the one they were made from.

#include "schedule/bounds/thread_scope.h"
#include "schedule/loop_state.h"
#include "views/dag_graph/dag_facts.h"

#include <map>

namespace loopscope {

enum class PlacementKind : uint8_t { Root, Inlined, Attached };

/// A stage that a cache step or rfactor made: "conv.local".
struct AddedStage {
    QString name;
    PlacementKind kind = PlacementKind::Root;
    QString text; // "conv.local at conv, i.3, in local memory"
    ScopeRank memory = ScopeRank::Global;
};

struct Placement {
    PlacementKind kind = PlacementKind::Root;
    QString text;                         // "root · parallel i.0@j.0@ · vectorize j.3", "inlined", "at out, j.1"
    QString target;                       // stage it is attached to; empty otherwise
    QString iterator;                     // of the target
    ScopeRank memory = ScopeRank::Global; // attached: where its values are kept; processors have but one
    std::vector<AddedStage> added;
};

/// By name of the DAG's own stages. A stage that the schedule lacks is absent. `gpu`: of several memories.
std::map<QString, Placement> placements(const LoopState &state, const DagFacts &facts, bool gpu = false);

/// The stage of the DAG that an added one was made from ("conv" of "conv.local"); -1 when it is of another DAG.
int originOf(const QString &stage, const DagFacts &facts);

} // namespace loopscope
