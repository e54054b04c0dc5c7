#pragma once
// The network that is shown, as a graph: every operator with its shapes, folded as one likes, coloured by what it
// costs, with everything about the selected node beside it. Laid out in a job; the picture before stays meanwhile.

#include "views/actions/view_roles.h"
#include "views/network_graph/network_scene.h"
#include "views/session/open_networks.h"
#include "views/session/view_context.h"

#include <QWidget>

class QSplitter;
class QTextBrowser;

namespace loopscope {

class GraphFindBar;
class NetworkBar;
class NetworkCommands;
class NetworkLegend;

class NetworkGraphView : public QWidget, public FindRole, public ExportRole, public ZoomRole {
    Q_OBJECT

  public:
    explicit NetworkGraphView(const ViewContext &context, QWidget *parent = nullptr);
    ~NetworkGraphView() override;

    void startFind() override;
    [[nodiscard]] QStringList exportSuffixes() const override { return m_graph->exportSuffixes(); }
    QString exportTo(const QString &path) override { return m_graph->exportTo(path); }
    void zoomIn() override { m_graph->zoomIn(); }
    void zoomOut() override { m_graph->zoomOut(); }
    void zoomToFit() override { m_graph->zoomToFit(); }

    [[nodiscard]] GraphView &graph() { return *m_graph; }
    [[nodiscard]] const NetworkScene &scene() const { return m_scene; }
    [[nodiscard]] QTextBrowser &details() { return *m_details; }
    [[nodiscard]] const OpenNetwork *network() const { return m_networks.find(m_network); }

    void foldBy(FoldBy fold);
    void colourBy(Overlay overlay);
    void showLabels(bool shown);
    void setExpanded(const QString &fold, bool expanded);
    /// The task of what is selected, in the workbench; false: there is none.
    bool openTask();
    void selectBox(int box, bool more = false);
    void zoomToBox(int box);
    void showLegend(bool shown);

  protected:
    void showEvent(QShowEvent *event) override;
    void changeEvent(QEvent *event) override;

  private:
    void connectGraph();
    void networkChanged();
    void showState();
    void layOutAgain();
    void layoutDone(const NetworkPicturePtr &picture);
    void layoutCancelled(int job);
    [[nodiscard]] OverlaySource overlaySource() const;
    void showOverlayNote();
    void fillLegend();
    void followSelection();
    void showDetails();
    void doubleClicked(QGraphicsItem *item);
    void find(const QString &words);
    void findStep(int direction);

    ViewContext m_context;
    OpenNetworks &m_networks;
    NetworkBar *m_bar;
    GraphView *m_graph;
    NetworkScene m_scene;
    GraphFindBar *m_find;
    NetworkLegend *m_legend;
    bool m_legendWanted = true;
    QSplitter *m_split;
    QTextBrowser *m_details;
    NetworkCommands *m_commands = nullptr;

    int m_network = 0;      // shown
    FunctionPtr m_function; // laid out or being laid out
    NetworkFactsPtr m_facts;
    NetworkPictureOptions m_options;
    int m_job = 0;
    bool m_stale = true; // changed while nobody saw it
    bool m_own = false;  // the selection changes by this view
    bool m_first = true; // nothing of this network was shown yet
    std::vector<int> m_found;
    int m_foundAt = -1;
};

} // namespace loopscope
