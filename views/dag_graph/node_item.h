#pragma once
// A stage (or a folded chain) as it is drawn: name, axes, expression, marks, and where the chosen schedule computes it.

#include "views/dag_graph/dag_picture.h"
#include "views/dag_graph/placement.h"

#include <QGraphicsItem>
#include <QStaticText>

#include <set>

namespace loopscope {

struct NodeMarks {
    bool selected = false;
    bool neighbour = false; // of the stage under the mouse
    bool match = false;     // of what is looked for
    bool faded = false;     // something is looked for, and this is not it
    QString added;          // the added stage that is selected
    std::set<int> axes;     // selected
    bool operator==(const NodeMarks &) const = default;
};

class NodeItem : public QGraphicsItem {
  public:
    enum { Type = UserType + 1 };

    /// `number` in the picture's nodes.
    NodeItem(const Theme &theme, DagPicturePtr picture, int number);

    [[nodiscard]] int type() const override { return Type; }
    [[nodiscard]] int number() const { return m_number; }
    [[nodiscard]] const PictureNode &node() const { return m_picture->nodes[static_cast<size_t>(m_number)]; }

    /// By stage, of the DAG's own; empty while no schedule is known.
    void setPlacements(const std::map<QString, Placement> &placements);
    void setMarks(const NodeMarks &marks);
    [[nodiscard]] const NodeMarks &marks() const { return m_marks; }

    /// In the strip, as shown.
    [[nodiscard]] QString placementText() const { return m_placement; }
    [[nodiscard]] const std::vector<AddedStage> &added() const { return m_added; }
    [[nodiscard]] int axisAt(QPointF point) const;      // -1 none
    [[nodiscard]] QString addedAt(QPointF point) const; // empty none

    [[nodiscard]] QRectF boundingRect() const override;
    [[nodiscard]] QPainterPath shape() const override;
    void paint(QPainter *painter, const QStyleOptionGraphicsItem *option, QWidget *widget) override;

  private:
    struct Piece {
        QStaticText text;
        QPointF at;
    };
    [[nodiscard]] StageKind kind() const;
    [[nodiscard]] QRectF body() const { return {QPointF(), node().box.size}; }
    [[nodiscard]] std::vector<QRectF> addedRects() const;
    [[nodiscard]] const QFont &font(TextPiece::Font font) const;
    void prepareTexts();
    void preparePlacement();
    void paintFar(QPainter *painter, double detail) const;
    void paintBody(QPainter *painter) const;
    void paintPills(QPainter *painter) const;
    void paintStrip(QPainter *painter) const;
    void paintAdded(QPainter *painter) const;
    void paintFrame(QPainter *painter, double detail) const;

    const Theme &m_theme;
    DagPicturePtr m_picture;
    int m_number;
    NodeMarks m_marks;

    bool m_placed = false;
    PlacementKind m_placementKind = PlacementKind::Root;
    ScopeRank m_memory = ScopeRank::Global;
    QString m_placement;
    std::vector<AddedStage> m_added;

    bool m_prepared = false;
    std::vector<Piece> m_texts;
    std::vector<Piece> m_pills;
    bool m_placementPrepared = false;
    Piece m_strip;
    std::vector<Piece> m_addedTexts;
};

/// The little picture in front of a placement, also in the legend: a filled square at root, one inside another where it
/// is attached, a dashed one where it is inlined.
void paintPlacementSign(QPainter &painter, PlacementKind kind, const QRectF &rect, const QColor &ink);
/// A GPU's memories have colours of their own.
Role placementColor(PlacementKind kind, ScopeRank memory = ScopeRank::Global);

} // namespace loopscope
