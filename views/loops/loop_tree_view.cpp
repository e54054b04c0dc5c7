#include "views/loops/loop_tree_view.h"

#include "views/loops/loop_tree_model.h"

#include <QPainter>
#include <QScrollBar>

namespace loopscope {

void LoopTreeView::scrollTo(const QModelIndex &index, ScrollHint hint) {
    const int across = horizontalScrollBar()->value();
    QTreeView::scrollTo(index, hint);
    horizontalScrollBar()->setValue(across);
}

void LoopTreeView::focusInEvent(QFocusEvent *event) {
    const auto *rows = qobject_cast<const LoopTreeModel *>(model());
    if (rows && !rows->marks().empty() && !currentIndex().isValid())
        selectionModel()->setCurrentIndex(rows->indexOf(rows->marks().front()), QItemSelectionModel::NoUpdate);
    QTreeView::focusInEvent(event);
}

void LoopTreeView::drawRow(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const {
    if (!selectionModel()->isSelected(index)) {
        const bool marked = index.data(LoopTreeModel::MarkRole).toBool();
        if (marked || index.data(LoopTreeModel::FoundRole).toBool())
            painter->fillRect(option.rect, marked ? m_theme.color(Role::Highlight) : m_theme.tint(Role::Accent));
    }
    QTreeView::drawRow(painter, option, index);
}

} // namespace loopscope
