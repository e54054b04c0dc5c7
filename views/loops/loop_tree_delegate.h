#pragma once
// Draws a row of the loop tree: a strip in the colour of its tile level, the kind of loop in words and colour, badges
// for reductions, tails and unrolling, statements with their code tinted.

#include "views/settings/theme.h"

#include <QStyledItemDelegate>

namespace loopscope {

enum class LoopKind : uint8_t;
enum class MemoryScope : uint8_t;
struct LoopRow;
struct RowReason;

Role roleOf(LoopKind kind);
/// Memories that only a GPU has; others are quiet.
Role memoryRole(MemoryScope scope);
Role tileRole(int level); // levels beyond the fourth share its colour

class LoopTreeDelegate : public QStyledItemDelegate {
    Q_OBJECT

  public:
    explicit LoopTreeDelegate(Theme &theme, QObject *parent = nullptr);

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    /// Pixels the first column needs for the row, indentation left out.
    [[nodiscard]] int contentWidth(const LoopRow &row) const;

  private:
    void paintBar(QPainter &painter, const QRect &rect, int column, const RowReason &reason) const;
    void paintLoop(QPainter &painter, const QRect &rect, const LoopRow &row, bool selected) const;
    void paintCode(QPainter &painter, const QRect &rect, const LoopRow &row, bool selected) const;
    int paintBadge(QPainter &painter, const QRect &rect, int x, const QString &text, Role role) const;
    Theme &m_theme;
};

} // namespace loopscope
