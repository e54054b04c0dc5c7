#pragma once
// Where the values of the network that is shown lie in its arena, and for how long: a picture of its memory plan. A
// value that is clicked selects the nodes that make it, and the other way round.

#include "views/actions/view_roles.h"
#include "views/graph/graph_view.h"
#include "views/network_memory/block_item.h"
#include "views/session/open_networks.h"
#include "views/session/view_context.h"

#include <QWidget>

namespace loopscope {

class ElidedLabel;

class NetworkMemoryView : public QWidget, public ExportRole, public ZoomRole {
    Q_OBJECT

  public:
    explicit NetworkMemoryView(const ViewContext &context, QWidget *parent = nullptr);

    [[nodiscard]] QStringList exportSuffixes() const override { return m_graph->exportSuffixes(); }
    QString exportTo(const QString &path) override { return m_graph->exportTo(path); }
    void zoomIn() override { m_graph->zoomIn(); }
    void zoomOut() override { m_graph->zoomOut(); }
    void zoomToFit() override { m_graph->zoomToFit(); }

    [[nodiscard]] GraphView &graph() { return *m_graph; }
    [[nodiscard]] const MemoryBlocks &picture() const { return m_picture; }
    [[nodiscard]] const BlockItem *item(size_t block) const { return m_items[block]; }
    [[nodiscard]] QString sentence() const;

  protected:
    void showEvent(QShowEvent *event) override;

  private:
    void networkChanged();
    void followSelection();
    void draw(const OpenNetwork *shown);

    ViewContext m_context;
    OpenNetworks &m_networks;
    ElidedLabel *m_sentence;
    GraphView *m_graph;
    MemoryBlocks m_picture;
    std::vector<BlockItem *> m_items;
    BlockItem *m_hovered = nullptr;
    NetworkKernelsPtr m_kernels;
    int m_network = 0;
    bool m_stale = true; // changed while nobody saw it
};

} // namespace loopscope
