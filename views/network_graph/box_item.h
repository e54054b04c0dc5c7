#pragma once
// A box of the network's graph: what it says, the colour of its kind or of the overlay, and marks.

#include "views/network_graph/network_picture.h"
#include "views/settings/theme.h"

#include <QGraphicsItem>
#include <QStaticText>

namespace loopscope {

struct BoxMarks {
    bool selected = false;
    bool neighbour = false; // of the one under the mouse
    bool match = false;     // found
    bool faded = false;     // looked for, and not this one
    bool operator==(const BoxMarks &) const = default;
};

/// What its kernels compute is something else than the reference has.
enum class Wrong : uint8_t { Not, Also, First };

class BoxItem : public QGraphicsItem {
  public:
    enum { Type = UserType + 41 };
    BoxItem(const Theme &theme, NetworkPicturePtr picture, int number);

    [[nodiscard]] int type() const override { return Type; }
    [[nodiscard]] int number() const { return m_number; }
    [[nodiscard]] const NetworkBox &box() const { return m_picture->boxes[static_cast<size_t>(m_number)]; }
    [[nodiscard]] const BoxMarks &marks() const { return m_marks; }
    void setMarks(const BoxMarks &marks);
    /// 0 to 1: the ground's colour; negative: that of its kind.
    void setHeat(double heat);
    [[nodiscard]] double heat() const { return m_heat; }
    void setWrong(Wrong wrong);
    [[nodiscard]] Wrong wrong() const { return m_wrong; }

    [[nodiscard]] QRectF boundingRect() const override { return body().adjusted(-4, -4, 7, 7); }
    [[nodiscard]] QPainterPath shape() const override;
    void paint(QPainter *painter, const QStyleOptionGraphicsItem *option, QWidget *widget) override;

    /// The colour of a share of the most.
    static QColor heatColor(const Theme &theme, double heat, bool wrong = false);

  private:
    [[nodiscard]] QRectF body() const { return {QPointF(), box().rect.size()}; }
    void prepare();
    void paintFar(QPainter *painter, double detail) const;
    void paintNear(QPainter *painter) const;
    void paintFrame(QPainter *painter, double detail) const;

    const Theme &m_theme;
    NetworkPicturePtr m_picture;
    int m_number;
    BoxMarks m_marks;
    double m_heat = -1;
    Wrong m_wrong = Wrong::Not;
    std::vector<QStaticText> m_texts;
    bool m_prepared = false;
};

} // namespace loopscope
