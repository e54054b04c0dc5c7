#include "views/network_graph/network_scene.h"

#include "views/graph/level_of_detail.h"

#include <QFontMetricsF>
#include <QGraphicsScene>

#include <algorithm>

namespace loopscope {

namespace {

constexpr double kArrowLabelWidest = 200;

/// Round the nodes of a fold that is shown node by node; a click on its tab folds them again.
class FoldFrameItem : public QGraphicsItem {
  public:
    FoldFrameItem(const Theme &theme, const QRectF &rect, const QString &title, const QFont &font)
        : m_theme(theme), m_rect(rect), m_font(font), m_text(QStringLiteral("\u2212 %1").arg(title)) {
        setZValue(-2);
        const QFontMetricsF metrics(font);
        const QSizeF size(std::min(metrics.horizontalAdvance(m_text) + 12, rect.width()), metrics.height() + 2);
        m_tab = {QPointF(rect.left() + 8, rect.top() - size.height() / 2), size};
    }
    [[nodiscard]] QRectF boundingRect() const override { return (m_rect | m_tab).adjusted(-1, -1, 1, 1); }
    [[nodiscard]] QPainterPath shape() const override {
        QPainterPath shape;
        shape.addRect(m_tab);
        return shape;
    }
    void paint(QPainter *painter, const QStyleOptionGraphicsItem * /*option*/, QWidget * /*widget*/) override {
        const bool far = levelOfDetail(*painter) < kTextDetail;
        QPen pen(m_theme.color(Role::Compute), 1, Qt::DashLine);
        pen.setCosmetic(far);
        QColor ground = m_theme.color(Role::Compute);
        ground.setAlphaF(0.06F);
        painter->setPen(pen);
        painter->setBrush(ground);
        painter->drawRoundedRect(m_rect, 8, 8);
        if (far) return;
        painter->setPen(QPen(m_theme.color(Role::Border), 1));
        painter->setBrush(m_theme.tint(Role::Compute));
        painter->drawRoundedRect(m_tab, 3, 3);
        painter->setPen(m_theme.color(Role::Text));
        painter->setFont(m_font);
        painter->drawText(m_tab, Qt::AlignCenter,
                          QFontMetricsF(m_font).elidedText(m_text, Qt::ElideRight, m_tab.width() - 8));
    }

  private:
    const Theme &m_theme;
    QRectF m_rect;
    QRectF m_tab;
    QFont m_font;
    QString m_text;
};

} // namespace

void NetworkScene::clear() {
    m_boxes.clear();
    m_arrows.clear();
    m_arrowOf.clear();
    m_frameOf.clear();
    m_picture.reset();
    m_selected.clear();
    m_matches.clear();
    m_hovered = m_hoveredArrow = -1;
    m_view.setContent({}); // before the items go: it may know one of them
    m_view.scene()->clear();
}

void NetworkScene::show(NetworkPicturePtr picture) {
    clear();
    m_picture = std::move(picture);
    QGraphicsScene &scene = *m_view.scene();
    const NetworkFonts &fonts = m_picture->options.fonts;
    for (size_t i = 0; i < m_picture->frames.size(); ++i) {
        const FoldFrame &frame = m_picture->frames[i];
        auto *item = new FoldFrameItem(m_theme, frame.rect, m_picture->folds[static_cast<size_t>(frame.fold)].title,
                                       fonts.small);
        m_frameOf[item] = static_cast<int>(i);
        scene.addItem(item);
    }
    for (size_t i = 0; i < m_picture->arrows.size(); ++i) {
        const NetworkArrow &arrow = m_picture->arrows[i];
        auto *item = new GraphEdgeItem(m_theme, arrow.path, {});
        if (!arrow.label.isEmpty()) item->setLabel(arrow.label, fonts.small, arrow.labelCentre, kArrowLabelWidest);
        m_arrowOf[item] = static_cast<int>(i);
        m_arrows.push_back(item);
        scene.addItem(item);
    }
    for (size_t i = 0; i < m_picture->boxes.size(); ++i) {
        m_boxes.push_back(new BoxItem(m_theme, m_picture, static_cast<int>(i)));
        scene.addItem(m_boxes.back());
    }
    m_view.setContent(m_picture->bounds);
    colour();
}

std::set<int> NetworkScene::boxesOf(const std::vector<int> &nodes) const {
    std::set<int> boxes;
    if (m_picture)
        for (const int node : nodes) boxes.insert(m_picture->boxOf[static_cast<size_t>(node)]);
    return boxes;
}

QRectF NetworkScene::rectOf(int box) const {
    return m_picture && box >= 0 ? m_picture->boxes[static_cast<size_t>(box)].rect : QRectF();
}

QRectF NetworkScene::selectedRect() const {
    QRectF rect;
    for (const int box : m_selected) rect |= rectOf(box);
    return rect;
}

void NetworkScene::setSelected(const std::vector<int> &nodes) {
    m_selected = boxesOf(nodes);
    updateMarks();
    m_view.setFocusRect(selectedRect());
    m_view.contentChanged();
}

void NetworkScene::setHovered(QGraphicsItem *item) {
    const NetworkHit at = hit(item);
    if (at.box == m_hovered && at.arrow == m_hoveredArrow) return;
    m_hovered = at.box;
    m_hoveredArrow = at.arrow;
    updateMarks();
}

void NetworkScene::setMatches(const std::vector<int> &nodes, bool looking) {
    m_matches = boxesOf(nodes);
    m_looking = looking;
    updateMarks();
    m_view.contentChanged();
}

void NetworkScene::colour() {
    const OverlayValues &values = m_picture->values;
    const Overlay overlay = m_picture->options.overlay;
    m_most = 0;
    for (const NetworkBox &box : m_picture->boxes) m_most = std::max(m_most, values.of(box.nodes));
    for (size_t i = 0; i < m_boxes.size(); ++i) {
        const std::vector<int> &nodes = m_picture->boxes[i].nodes;
        m_boxes[i]->setHeat(overlayHeat(overlay, values.of(nodes), m_most));
        m_boxes[i]->setWrong(values.firstWrong(nodes) ? Wrong::First : values.wrong(nodes) ? Wrong::Also : Wrong::Not);
    }
}

void NetworkScene::updateMarks() {
    if (!m_picture) return;
    std::vector<BoxMarks> marks(m_boxes.size());
    for (size_t i = 0; i < m_arrows.size(); ++i) {
        const NetworkArrow &arrow = m_picture->arrows[i];
        const bool hovered = (m_hovered >= 0 && (arrow.from == m_hovered || arrow.to == m_hovered)) ||
                             static_cast<int>(i) == m_hoveredArrow;
        const bool strong = hovered || m_selected.contains(arrow.from) || m_selected.contains(arrow.to);
        m_arrows[i]->setEmphasis(strong      ? GraphEdgeItem::Emphasis::Strong
                                 : m_looking ? GraphEdgeItem::Emphasis::Faded
                                             : GraphEdgeItem::Emphasis::Normal);
        if (hovered)
            marks[static_cast<size_t>(arrow.from)].neighbour = marks[static_cast<size_t>(arrow.to)].neighbour = true;
    }
    if (m_hovered >= 0) marks[static_cast<size_t>(m_hovered)].neighbour = true;
    if (m_looking)
        for (size_t i = 0; i < marks.size(); ++i) {
            marks[i].match = m_matches.contains(static_cast<int>(i));
            marks[i].faded = !marks[i].match;
        }
    for (const int box : m_selected) {
        marks[static_cast<size_t>(box)].selected = true;
        marks[static_cast<size_t>(box)].faded = false;
    }
    for (size_t i = 0; i < m_boxes.size(); ++i) m_boxes[i]->setMarks(marks[i]);
}

NetworkHit NetworkScene::hit(QGraphicsItem *item) const {
    NetworkHit at;
    if (const auto *box = qgraphicsitem_cast<BoxItem *>(item))
        at.box = box->number();
    else if (const auto arrow = m_arrowOf.find(item); arrow != m_arrowOf.end())
        at.arrow = arrow->second;
    else if (const auto frame = m_frameOf.find(item); frame != m_frameOf.end())
        at.frame = frame->second;
    return at;
}

} // namespace loopscope
