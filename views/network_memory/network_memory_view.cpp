#include "views/network_memory/network_memory_view.h"

#include "views/actions/elided_label.h"
#include "views/graph/view_overlays.h"
#include "views/session/text.h"

#include <QApplication>
#include <QGraphicsScene>
#include <QVBoxLayout>

#include <utility>

namespace loopscope {

NetworkMemoryView::NetworkMemoryView(const ViewContext &context, QWidget *parent)
    : QWidget(parent), m_context(context), m_networks(context.session.networks()), m_sentence(new ElidedLabel(this)),
      m_graph(new GraphView(context.theme, this)) {
    setObjectName(QStringLiteral("NetworkMemoryView"));
    setFocusProxy(m_graph);
    m_graph->setAccessibleName(tr("Memory of the network"));
    m_sentence->setObjectName(QStringLiteral("network_memory_sentence"));
    m_sentence->setMargin(6);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_sentence);
    column->addWidget(m_graph, 1);
    connect(m_graph, &GraphView::itemClicked, this, [this](QGraphicsItem *item, QPointF, Qt::KeyboardModifiers) {
        const auto *block = qgraphicsitem_cast<BlockItem *>(item);
        m_networks.select(m_network, block != nullptr ? m_picture.blocks[static_cast<size_t>(block->number())].sources
                                                      : std::set<std::string>());
    });
    connect(m_graph, &GraphView::itemHovered, this, [this](QGraphicsItem *item) {
        if (m_hovered != nullptr) m_hovered->setHovered(false);
        m_hovered = qgraphicsitem_cast<BlockItem *>(item);
        if (m_hovered != nullptr) m_hovered->setHovered(true);
    });
    connect(m_graph, &GraphView::escapePressed, this, [this] { m_networks.select(m_network, {}); });
    m_graph->setToolTips([this](QGraphicsItem *item, QPointF) {
        const auto *block = qgraphicsitem_cast<BlockItem *>(item);
        return block != nullptr ? m_picture.blocks[static_cast<size_t>(block->number())].tip : QString();
    });
    connect(&m_networks, &OpenNetworks::currentChanged, this, &NetworkMemoryView::networkChanged);
    connect(&m_networks, &OpenNetworks::networkChanged, this, [this](int id) {
        if (const OpenNetwork *shown = m_networks.current(); shown != nullptr && shown->id == id) networkChanged();
    });
    connect(&m_networks, &OpenNetworks::selectionChanged, this, [this](int id) {
        if (id == m_network) followSelection();
    });
    networkChanged();
}

QString NetworkMemoryView::sentence() const { return m_sentence->text(); }

void NetworkMemoryView::showEvent(QShowEvent *event) {
    QWidget::showEvent(event);
    if (m_stale) networkChanged();
}

void NetworkMemoryView::networkChanged() {
    m_stale = !isVisible();
    if (m_stale) return;
    const OpenNetwork *shown = m_networks.current();
    m_network = shown != nullptr ? shown->id : 0;
    const NetworkKernelsPtr kernels = shown != nullptr ? shown->kernels : nullptr;
    if (kernels != m_kernels || !kernels) {
        m_kernels = kernels;
        draw(shown);
    }
    followSelection();
}

void NetworkMemoryView::draw(const OpenNetwork *shown) {
    m_items.clear();
    m_hovered = nullptr;
    m_graph->setContent({}); // before the items go: it may know one of them
    m_graph->scene()->clear();
    m_picture = {};
    QString empty;
    if (shown == nullptr)
        empty = tr("Open a network (.onnx, .net) to see where its values lie in memory, and for how long.");
    else if (!shown->problem.isEmpty() || !shown->kernelsProblem.isEmpty())
        empty = shown->problem.isEmpty() ? asSentence(shown->kernelsProblem) : shown->problem;
    else if (!m_kernels)
        empty = tr("%1 is being optimised \u2026").arg(shown->name());
    else if (!m_kernels->memory)
        empty = asSentence(m_kernels->memoryProblem);
    else
        m_picture = memoryBlocks(*m_kernels);
    if (empty.isEmpty() && m_picture.blocks.empty())
        empty = tr("Nothing of this network has to lie in memory between two kernels.");
    m_graph->notices().setEmptyText(empty);
    m_sentence->setText(m_picture.sentence);
    m_sentence->setVisible(!m_picture.sentence.isEmpty());
    if (m_picture.blocks.empty()) return;
    QFont font = QApplication::font();
    if (font.pointSizeF() > 0) font.setPointSizeF(font.pointSizeF() * 0.85);
    auto *arena = new ArenaItem(m_context.theme, m_picture, font);
    m_graph->scene()->addItem(arena);
    for (size_t i = 0; i < m_picture.blocks.size(); ++i) {
        m_items.push_back(new BlockItem(m_context.theme, m_picture.blocks[i], static_cast<int>(i), font));
        m_graph->scene()->addItem(m_items.back());
    }
    m_graph->setContent(arena->boundingRect());
    m_graph->zoomToFit();
}

void NetworkMemoryView::followSelection() {
    const OpenNetwork *shown = m_networks.find(m_network);
    for (size_t i = 0; i < m_items.size(); ++i)
        m_items[i]->setSelected(shown != nullptr && meet(m_picture.blocks[i].sources, shown->selected));
    m_graph->contentChanged();
}

} // namespace loopscope
