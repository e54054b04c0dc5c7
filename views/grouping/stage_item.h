#pragma once
// A stage (or an input) as a box: its name, where it is computed, and the colour of the group it is in.

#include "views/grouping/grouping_picture.h"
#include "views/settings/theme.h"

#include <QGraphicsItem>

namespace loopscope {

/// What is to be seen of a stage at one place of the history.
struct GroupedStageLook {
    std::optional<StageRole> role; // none: an input
    QString where;
    QString loops;
    std::vector<int> colours; // of its groups; empty: it is alone
    bool operator==(const GroupedStageLook &) const = default;
};

class StageItem final : public QGraphicsItem {
  public:
    enum { Type = UserType + 31 };

    StageItem(const Theme &theme, const GroupingBox &box, const GroupingFonts &fonts);

    [[nodiscard]] int type() const override { return Type; }
    [[nodiscard]] const GroupingBox &box() const { return m_box; }
    void setLook(const GroupedStageLook &look);
    [[nodiscard]] const GroupedStageLook &look() const { return m_look; }
    /// Selected; it is what the round shown is about; something else is looked for.
    void setMarks(bool selected, bool named, bool faded);
    [[nodiscard]] bool selected() const { return m_selected; }
    [[nodiscard]] bool named() const { return m_named; }
    [[nodiscard]] bool faded() const { return m_faded; }

    [[nodiscard]] QRectF boundingRect() const override;
    void paint(QPainter *painter, const QStyleOptionGraphicsItem *option, QWidget *widget) override;

  private:
    [[nodiscard]] QRectF body() const { return {QPointF(), m_box.size}; }
    [[nodiscard]] bool withoutLoops() const;
    void paintGround(QPainter *painter, double detail) const;
    void paintTexts(QPainter *painter) const;
    void paintFar(QPainter *painter, double detail) const;

    const Theme &m_theme;
    GroupingBox m_box;
    GroupingFonts m_fonts;
    GroupedStageLook m_look;
    bool m_selected = false;
    bool m_named = false;
    bool m_faded = false;
};

/// The colour of a group: strong for lines, faint for grounds.
QColor groupColour(const Theme &theme, int colour);
QColor groupGround(const Theme &theme, int colour);

} // namespace loopscope
