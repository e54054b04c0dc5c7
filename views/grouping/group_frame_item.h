#pragma once
// Round the stages of a group: a rectangle where no other stage lies in it, otherwise an outline that follows boxes and
// arrows. A tab says whose group it is.

#include "views/grouping/stage_item.h"

#include <QPainterPath>

namespace loopscope {

struct GroupFrame {
    int group = -1; // in StepFacts::groups
    int colour = 0;
    QString title;                  // "output · 5 stages"
    std::vector<QRectF> boxes;      // of its stages
    std::vector<QPainterPath> ways; // arrows among them
    bool clear = true;              // no other box lies between them
};

class GroupFrameItem final : public QGraphicsItem {
  public:
    enum { Type = UserType + 32 };

    GroupFrameItem(const Theme &theme, GroupFrame frame, const GroupingFonts &fonts);

    [[nodiscard]] int type() const override { return Type; }
    [[nodiscard]] const GroupFrame &frame() const { return m_frame; }
    [[nodiscard]] QRectF boundingRect() const override { return m_bounds; }
    /// Nothing: the ground inside is the graph's.
    [[nodiscard]] QPainterPath shape() const override { return {}; }
    [[nodiscard]] QRectF tab() const { return m_tab; } // where whose group it is stands
    void paint(QPainter *painter, const QStyleOptionGraphicsItem *option, QWidget *widget) override;

  private:
    void fill(QPainter *painter, const QColor &colour, double margin) const;

    const Theme &m_theme;
    GroupFrame m_frame;
    QRectF m_around;
    QRectF m_tab;
    QRectF m_bounds;
};

/// The tab of a frame, above the arrows that lead into it.
class GroupTabItem final : public QGraphicsItem {
  public:
    enum { Type = UserType + 33 };

    GroupTabItem(const Theme &theme, const GroupFrameItem &frame, const GroupingFonts &fonts);

    [[nodiscard]] int type() const override { return Type; }
    [[nodiscard]] int group() const { return m_group; }
    [[nodiscard]] QRectF boundingRect() const override { return m_rect.adjusted(-2, -2, 2, 2); }
    void paint(QPainter *painter, const QStyleOptionGraphicsItem *option, QWidget *widget) override;

  private:
    const Theme &m_theme;
    QRectF m_rect;
    int m_group;
    int m_colour;
    QString m_title;
    QFont m_font;
};

} // namespace loopscope
