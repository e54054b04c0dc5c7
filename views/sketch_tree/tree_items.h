#pragma once
// The picture of a sketch tree: a state, a finished sketch, an edge. Each knows its size before it is placed, and what
// of it is under the pointer; what happens then is the view's business.

#include "views/sketch_tree/shown_tree.h"
#include "views/sketch_tree/sketch_statistics.h"
#include "views/sketch_tree/tree_layout.h"
#include "views/sketch_tree/tree_look.h"

#include <QGraphicsItem>

#include <memory>
#include <optional>

namespace loopscope {

class TreeItem : public QGraphicsItem {
  public:
    TreeItem(const TreeLook &look, int index) : m_look(look), m_index(index) {}
    [[nodiscard]] virtual TreeSpot spotAt(const QPointF &own) const = 0;
    void setMarks(const TreeMarks &marks);
    void setHot(const TreeSpot &spot); // under the pointer; of another item: none

  protected:
    [[nodiscard]] static bool legible(const QPainter &painter, double line);
    const TreeLook &m_look;
    int m_index;
    TreeMarks m_marks;
    TreeSpot m_hot;
};

/// An unfinished sketch: its loops as a thumbnail, below it what was refused there.
class StateItem : public TreeItem {
  public:
    StateItem(const TreeLook &look, int index, const ShownNode &shown, const DerivationNode &node,
              const QString &caption);
    [[nodiscard]] TreeBox box() const;
    void setBelow(const QString &text); // of a collapsed node: its best time; the room for it is kept
    [[nodiscard]] TreeSpot spotAt(const QPointF &own) const override;
    [[nodiscard]] QRectF boundingRect() const override;
    void paint(QPainter *painter, const QStyleOptionGraphicsItem *option, QWidget *widget) override;

  private:
    void paintBody(QPainter &painter) const;
    void paintRefused(QPainter &painter) const;
    QRectF m_body;
    QRectF m_handle;
    QRectF m_stub;
    std::vector<QRectF> m_rows;
    std::vector<QString> m_rowTexts;
    QString m_stubText;
    QString m_caption; // in place of the thumbnail's foot: "naive", "sketch 3 again"
    QString m_hidden;  // "6 sketches", of a collapsed node
    QString m_below;
    std::shared_ptr<const LoopState> m_state;
    mutable std::optional<NestShape> m_shape; // made when it is first seen
    bool m_collapsed = false;
    QSizeF m_size;
};

/// A finished sketch with the numbers of its candidates.
class CardItem : public TreeItem {
  public:
    CardItem(const TreeLook &look, int index, const DerivationNode &node, const Sketch &sketch);
    [[nodiscard]] static QSizeF cardSize(const TreeLook &look);
    [[nodiscard]] TreeBox box() const;
    [[nodiscard]] int sketch() const { return m_sketch; }
    void setNumbers(const SketchNumbers &numbers, bool best, double fastest, double slowest);
    void setSelectedSeconds(double seconds); // of the selected trial, marked in the strip; NaN none
    [[nodiscard]] TreeSpot spotAt(const QPointF &own) const override;
    [[nodiscard]] QRectF boundingRect() const override;
    void paint(QPainter *painter, const QStyleOptionGraphicsItem *option, QWidget *widget) override;

  private:
    void paintNumbers(QPainter &painter, const QRectF &rect) const;
    void paintStrip(QPainter &painter, const QRectF &rect) const;
    int m_sketch;
    QString m_rules;
    std::shared_ptr<const LoopState> m_state;
    mutable std::optional<NestShape> m_shape; // made when it is first seen
    mutable QStringList m_ruleLines;          // the same
    SketchNumbers m_numbers;
    bool m_best = false;
    double m_fastest = 0;
    double m_slowest = 0;
    double m_selectedSeconds;
};

/// The rules that led from one node to the next.
class EdgeItem : public TreeItem {
  public:
    EdgeItem(const TreeLook &look, int index, const ShownNode &shown);
    [[nodiscard]] QSizeF labelSize() const { return m_size; }
    void place(const QPainterPath &path, const QRectF &label);
    [[nodiscard]] TreeSpot spotAt(const QPointF &own) const override;
    [[nodiscard]] QRectF boundingRect() const override;
    [[nodiscard]] QPainterPath shape() const override;
    void paint(QPainter *painter, const QStyleOptionGraphicsItem *option, QWidget *widget) override;

  private:
    QString m_label;
    QString m_detail;
    QString m_refused;
    bool m_quiet;
    QSizeF m_size;
    QPainterPath m_path;
    QRectF m_rect;
    QRectF m_stub;
};

} // namespace loopscope
