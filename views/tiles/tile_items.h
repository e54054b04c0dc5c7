#pragma once
// A panel of tiles and a strip of reduction steps, as they are painted. What they show is made elsewhere
// (tile_picture.h); they know how large their cells are and what lies under a point.

#include "views/tiles/tile_picture.h"

#include <QFont>
#include <QGraphicsItem>

namespace loopscope {

struct TileFonts {
    QFont bold;
    QFont small;
};
TileFonts tileFonts();

class TilePanelItem : public QGraphicsItem {
  public:
    enum { Type = UserType + 31 };

    TilePanelItem(const Theme &theme, TilePanel panel, int number);

    [[nodiscard]] int type() const override { return Type; }
    [[nodiscard]] const TilePanel &panel() const { return m_panel; }
    [[nodiscard]] int number() const { return m_number; }
    [[nodiscard]] QSizeF size() const { return m_size; }
    /// In the item's own coordinates.
    [[nodiscard]] QRectF cells() const { return m_cells; }
    [[nodiscard]] QRectF rectOf(const TileWindow &place) const;
    /// The marked part that holds the focus, for the lines to the next panel; empty when it lies outside.
    [[nodiscard]] QRectF entered() const;
    /// Row and column of the plane under a point; none outside of the cells.
    [[nodiscard]] std::optional<std::pair<int64_t, int64_t>> placeAt(QPointF point) const;
    void setSelected(bool selected);

    [[nodiscard]] QRectF boundingRect() const override;
    void paint(QPainter *painter, const QStyleOptionGraphicsItem *option, QWidget *widget) override;

  private:
    [[nodiscard]] QColor colorOf(int64_t number) const;
    [[nodiscard]] bool isMarked(int64_t number) const;
    void paintParts(QPainter *painter, double detail) const;
    void paintCuts(QPainter *painter, const TileCuts &cuts, const QPen &pen, double detail, double finest) const;
    void paintTexts(QPainter *painter) const;

    const Theme &m_theme;
    TilePanel m_panel;
    int m_number;
    TileFonts m_fonts;
    QSizeF m_size;
    QRectF m_cells;
    bool m_selected = false;
};

class TileStripItem : public QGraphicsItem {
  public:
    enum { Type = UserType + 32 };

    TileStripItem(const Theme &theme, TileStrip strip, double width);

    [[nodiscard]] int type() const override { return Type; }
    [[nodiscard]] const TileStrip &strip() const { return m_strip; }
    [[nodiscard]] QSizeF size() const { return m_size; }
    void setSelected(bool selected);

    [[nodiscard]] QRectF boundingRect() const override;
    void paint(QPainter *painter, const QStyleOptionGraphicsItem *option, QWidget *widget) override;

  private:
    const Theme &m_theme;
    TileStrip m_strip;
    TileFonts m_fonts;
    QSizeF m_size;
    bool m_selected = false;
};

} // namespace loopscope
