#pragma once
// What one does with the ComputeDAG: its actions on the tool bar, its menu, copy and export.

#include "views/dag_graph/dag_navigation.h"
#include "views/session/view_context.h"

#include <QObject>

class QAction;
class QToolBar;

namespace loopscope {

class DagGraphView;
class DagLegend;

class DagCommands : public QObject {
    Q_OBJECT

  public:
    DagCommands(const ViewContext &context, DagGraphView &view, DagNavigation &navigation, DagLegend &legend,
                QToolBar &tools);

    void showCollapsing(bool collapsing); // on its button
    void popUp(QGraphicsItem *item, QPointF point, QPoint globalPoint);

  private:
    void askForExport(const QString &suffix);

    ViewContext m_context;
    DagGraphView &m_view;
    DagNavigation &m_navigation;
    QAction *m_collapse = nullptr;
};

} // namespace loopscope
