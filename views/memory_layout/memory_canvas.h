#pragma once
// A corner of a tensor drawn by memory order: a cell for each element in the colour of its cache line, a thread through
// the elements in the order they lie in, and under the cursor the line and the vector that are touched.

#include "views/memory_layout/memory_picture.h"
#include "views/settings/theme.h"

#include <QWidget>

#include <optional>

namespace loopscope {

class MemoryCanvas : public QWidget {
    Q_OBJECT

  public:
    explicit MemoryCanvas(Theme &theme, QWidget *parent = nullptr);

    void setPicture(MemoryPicture picture, const QString &title);
    [[nodiscard]] const MemoryPicture &picture() const { return m_picture; }
    /// What is pointed at, here or in the other one; none.
    void setPointed(std::optional<int> cell);
    [[nodiscard]] std::optional<int> pointed() const { return m_pointed; }
    [[nodiscard]] QRectF rectOf(int cell) const;

    [[nodiscard]] QSize sizeHint() const override { return {320, 220}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {120, 90}; }

  signals:
    void cellPointed(std::optional<int> cell);

  protected:
    void paintEvent(QPaintEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;

  private:
    [[nodiscard]] std::optional<int> cellAt(QPointF place) const;
    void point(std::optional<int> cell);
    void paintCells(QPainter &painter);
    void paintThread(QPainter &painter);
    void paintPointed(QPainter &painter);

    Theme &m_theme;
    MemoryPicture m_picture;
    QString m_title;
    std::optional<int> m_pointed;
};

} // namespace loopscope
