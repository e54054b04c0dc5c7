#pragma once
// Going about in the ComputeDAG by keys: from stage to stage, along the arrows, and up close.

#include "views/dag_graph/dag_scene.h"
#include "views/session/selection.h"

namespace loopscope {

class DagNavigation {
  public:
    /// They must outlive it.
    DagNavigation(Selection &selection, GraphView &graph, DagScene &scene)
        : m_selection(selection), m_graph(graph), m_scene(scene) {}

    void selectNext(int direction); // in topological order
    /// Up and Down follow the arrows, Left and Right go to what lies beside.
    void selectNeighbour(int key);
    void zoomToNode(int node);
    /// The selected stage's name and expression; empty: none is selected.
    [[nodiscard]] QString selectedExpression() const;

  private:
    void selectNode(int node);

    Selection &m_selection;
    GraphView &m_graph;
    DagScene &m_scene;
};

} // namespace loopscope
