#pragma once
// One tile of a group's output with the regions that its stages compute for it, as outlines about the tile: what lies
// outside of it belongs to other tiles, too. Two axes are drawn; thin halos can be widened, which the picture then
// says.

#include "schedule/grouping/overlapped_tile.h"
#include "views/grouping/shown_grouping.h"
#include "views/settings/theme.h"

#include <QWidget>

namespace loopscope {

/// Of a region along one axis of the picture, in points of the output: how far it reaches beyond the tile.
struct Overlap {
    double before = 0;
    double after = 0;
    bool operator==(const Overlap &) const = default;
};

/// What is drawn of a region.
struct OverlapBox {
    size_t region = 0; // in OverlappedTile::regions
    Overlap across;    // along the axis to the right
    Overlap down;
};

/// Boxes that reach equally far, which are drawn as one.
struct OverlapRing {
    std::vector<size_t> regions;
    Overlap across;
    Overlap down;
    int colour = -1; // Theme::series; -1: the tile itself
};
std::vector<OverlapRing> overlapRings(const std::vector<OverlapBox> &boxes);

/// Regions that are computed, the largest first. Axes are those of the output, innermost 0; `down` -1: there is but
/// one. An axis of another stage is the one of the same name, otherwise that of the same place; a stage of half the
/// resolution is drawn at twice its size.
std::vector<OverlapBox> overlapBoxes(const Pipeline &pipeline, const OverlappedTile &tile, int output, int across,
                                     int down);

class OverlapPicture final : public QWidget {
    Q_OBJECT

  public:
    explicit OverlapPicture(const Theme &theme, QWidget *parent = nullptr);

    /// `tile` of the group whose output is that stage.
    void showTile(ShownGroupingPtr result, std::shared_ptr<const OverlappedTile> tile, int output, int across,
                  int down);
    void clear();
    void setAxes(int across, int down);
    void setMagnified(bool magnified);
    void setSelected(int buffer);                                  // -1: none
    [[nodiscard]] bool magnifies() const { return m_stretch > 1; } // halos are wider than they are
    [[nodiscard]] const std::vector<OverlapRing> &rings() const { return m_rings; }
    [[nodiscard]] QRectF rectOf(size_t ring) const;
    /// Of the ring it belongs to; -1: none.
    [[nodiscard]] int colourOf(int buffer) const;
    [[nodiscard]] QSize minimumSizeHint() const override { return {120, 90}; }
    [[nodiscard]] QSize sizeHint() const override { return {320, 260}; }

  signals:
    void stageClicked(int buffer);

  protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    bool event(QEvent *event) override;

  private:
    void arrange();
    [[nodiscard]] int ringAt(QPointF point) const; // -1: none
    [[nodiscard]] bool holds(const OverlapRing &ring, int buffer) const;
    [[nodiscard]] QString namesOf(const OverlapRing &ring) const;
    [[nodiscard]] int64_t tileLength(int axis) const;
    void paintNeighbours(QPainter &painter) const;
    void paintRing(QPainter &painter, size_t ring) const;
    void paintNumbers(QPainter &painter) const;
    [[nodiscard]] QString caption() const;

    const Theme &m_theme;
    ShownGroupingPtr m_result;
    std::shared_ptr<const OverlappedTile> m_tile;
    int m_output = -1;
    int m_across = 0;
    int m_down = 1;
    bool m_magnified = true;
    int m_selected = -1;
    std::vector<OverlapRing> m_rings; // the largest first
    QRectF m_tileRect;
    QSizeF m_point;       // of the screen, a point of the output inside the tile
    double m_stretch = 1; // of halos
};

} // namespace loopscope
