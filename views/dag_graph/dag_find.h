#pragma once
// Finding stages by name, attribute, axis or expression.

#include "views/dag_graph/dag_facts.h"

namespace loopscope {

/// Stages in which every word occurs (in any letter case) in name, axes, type, shape, marks, attributes or expression.
/// In the DAG's order, those whose name matches first.
std::vector<int> findStages(const DagFacts &facts, const QString &words);

} // namespace loopscope
