#pragma once
// The ComputeDAG: what is computed from what, over which axes, how every stage reads another, and where the chosen
// schedule computes it. Laid out in a job; the picture before stays meanwhile.

#include "views/actions/view_roles.h"
#include "views/dag_graph/dag_navigation.h"
#include "views/dag_graph/dag_scene.h"
#include "views/session/view_context.h"

#include <QLabel>
#include <QToolBar>
#include <QWidget>

#include <optional>

namespace loopscope {

class DagCommands;
class GraphFindBar;
class DagLegend;

class DagGraphView : public QWidget, public FindRole, public ExportRole, public ZoomRole {
    Q_OBJECT

  public:
    explicit DagGraphView(const ViewContext &context, QWidget *parent = nullptr);
    ~DagGraphView() override;

    void startFind() override;
    [[nodiscard]] QStringList exportSuffixes() const override { return m_graph->exportSuffixes(); }
    QString exportTo(const QString &path) override { return m_graph->exportTo(path); }
    void zoomIn() override { m_graph->zoomIn(); }
    void zoomOut() override { m_graph->zoomOut(); }
    void zoomToFit() override { m_graph->zoomToFit(); }

    [[nodiscard]] GraphView &graph() { return *m_graph; }
    [[nodiscard]] const DagScene &scene() const { return *m_scene; }
    /// Elementwise chains are drawn as one node.
    [[nodiscard]] bool collapsing() const;
    void setCollapsing(bool collapse);
    void setExpanded(const QString &chain, bool expanded); // one of them
    [[nodiscard]] QString summary() const { return m_summaryParts.join(QStringLiteral(" \u00b7 ")); }

  protected:
    void showEvent(QShowEvent *event) override;
    void changeEvent(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

  private:
    struct Anchor {
        QString stage;
        QPointF at; // in the viewport
    };
    void connectGraph();
    void follow(const Selected &now, const Selected &before);

    void documentChanged();
    void showState(); // texts for "nothing open", "being analysed", "does not parse"
    void layOutAgain(const QString &keep = {});
    void layoutDone(const DagPicturePtr &picture);
    void layoutEnded(const QString &problem);
    void layoutCancelled(int job);
    void updatePlacements();
    void updateSummary();
    void showSummary(); // as much as there is room for

    void click(QGraphicsItem *item, QPointF point);
    [[nodiscard]] QString toolTipAt(QGraphicsItem *item, QPointF point) const;
    void find(const QString &words);
    void findStep(int direction);

    ViewContext m_context;
    GraphView *m_graph;
    std::unique_ptr<DagScene> m_scene;
    GraphFindBar *m_find;
    DagLegend *m_legend;
    QToolBar *m_tools;
    QLabel *m_summary;
    DagNavigation m_navigation;
    DagCommands *m_commands = nullptr;
    QStringList m_summaryParts;

    int m_document = 0;             // whose picture is shown
    DagPtr m_dag;                   // laid out or being laid out
    DagFactsPtr m_facts;            // of m_dag once known
    std::optional<bool> m_collapse; // as the user chose; otherwise by size
    std::set<QString> m_expanded;   // chains
    std::map<QString, Placement> m_placements;
    int m_job = 0;
    bool m_stale = true; // changed while nobody saw it
    bool m_own = false;  // the selection changes by this view
    std::optional<Anchor> m_anchor;
    std::vector<int> m_found; // stages
    int m_foundAt = -1;
};

} // namespace loopscope
