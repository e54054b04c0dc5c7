#pragma once
// An arrow of a laid-out graph with its label. The label lies beside or on the line, on a ground of its own, so that it
// is read wherever the layout put it.

#include "views/settings/theme.h"

#include <QFont>
#include <QGraphicsItem>
#include <QPainterPath>
#include <QStaticText>

#include <vector>

namespace loopscope {

struct EdgeStyle {
    Role color = Role::QuietText;
    bool dashed = false;
    double width = 1.2;
};

class GraphEdgeItem : public QGraphicsItem {
  public:
    enum class Emphasis : uint8_t { Normal, Strong, Faded };

    GraphEdgeItem(const Theme &theme, QPainterPath path, const EdgeStyle &style, QGraphicsItem *parent = nullptr);

    /// Room a label of this text takes: what LayoutEdge::label wants. Longer lines are shortened to `widest`.
    static QSizeF labelSize(const QString &text, const QFont &font, double widest);
    void setLabel(const QString &text, const QFont &font, QPointF centre, double widest);
    [[nodiscard]] QString label() const { return m_text; }
    [[nodiscard]] QRectF labelRect() const { return m_labelRect; }

    void setEmphasis(Emphasis emphasis);

    [[nodiscard]] QRectF boundingRect() const override { return m_bounds; }
    [[nodiscard]] QPainterPath shape() const override;
    void paint(QPainter *painter, const QStyleOptionGraphicsItem *option, QWidget *widget) override;

  private:
    void paintLabel(QPainter *painter, const QColor &ink) const;
    void updateBounds();

    const Theme &m_theme;
    QPainterPath m_path;
    QPolygonF m_head;
    EdgeStyle m_style;
    Emphasis m_emphasis = Emphasis::Normal;
    QString m_text;
    std::vector<QStaticText> m_lines;
    QFont m_font;
    QRectF m_labelRect;
    QRectF m_bounds;
};

} // namespace loopscope
