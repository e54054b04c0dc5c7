#include "views/edits/edit_tree_view.h"

#include "views/edits/edit_tree_model.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace loopscope {

EditTreeView::EditTreeView(const Theme &theme, EditTreeModel &model, QWidget *parent)
    : QTreeView(parent), m_theme(theme), m_model(model) {
    setModel(&model);
    setIndentation(std::max(16, fontMetrics().height() + 2));
    setUniformRowHeights(true);
    setAllColumnsShowFocus(true);
    setExpandsOnDoubleClick(false);
    setEditTriggers(NoEditTriggers);
    setSelectionMode(ExtendedSelection);
    setContextMenuPolicy(Qt::CustomContextMenu);
    setFrameShape(NoFrame);
    setHorizontalScrollMode(ScrollPerPixel);
}

void EditTreeView::drawBranches(QPainter *painter, const QRect &rect, const QModelIndex &index) const {
    const EditRow *row = m_model.rowAt(index);
    if (row == nullptr) return;
    const int step = indentation();
    const int middle = rect.center().y();
    const auto x = [&](int depth) { return rect.left() + depth * step + step / 2; };
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const bool selected = selectionModel()->isSelected(index); // on the colour of the selection
    const QColor line = m_theme.color(selected ? Role::AccentText : Role::QuietText);
    const QColor ground = m_theme.color(selected ? Role::Accent : Role::Base);
    const QColor strong = m_theme.color(selected ? Role::AccentText : Role::Accent);
    painter->setPen(QPen(line, 1.4));
    const EditRows &all = m_model.rows();
    // A schedule with side lines always has a line that goes on below them.
    for (int up = row->parent; up >= 0; up = all.rows[static_cast<size_t>(up)].parent) {
        const int at = x(all.rows[static_cast<size_t>(up)].depth);
        painter->drawLine(at, rect.top(), at, rect.bottom() + 1);
    }
    const int here = x(row->depth);
    if (!row->first) painter->drawLine(here, rect.top(), here, middle);
    if (!row->last) painter->drawLine(here, middle, here, rect.bottom() + 1);
    if (row->first && row->parent >= 0) painter->drawLine(x(row->depth - 1), middle, here, middle);
    const bool shown = index.data(EditTreeModel::ShownRole).toBool();
    painter->setPen(QPen(shown ? strong : line, 1.4));
    painter->setBrush(shown ? strong : ground);
    const QPointF centre(here, middle + 0.5);
    if (row->children.empty()) {
        const double radius = shown ? 4.5 : 3.5;
        painter->drawEllipse(centre, radius, radius);
    } else { // side lines are opened and closed here
        const QRectF box(here - 5, middle - 4.5, 10, 10);
        painter->drawRect(box);
        painter->setPen(QPen(shown ? ground : line, 1.4));
        painter->drawLine(QPointF(here - 2.5, centre.y()), QPointF(here + 2.5, centre.y()));
        if (!isExpanded(index)) painter->drawLine(QPointF(here, centre.y() - 2.5), QPointF(here, centre.y() + 2.5));
    }
    painter->restore();
}

void EditTreeView::mousePressEvent(QMouseEvent *event) {
    if (event->button() == Qt::RightButton) return event->accept();
    QTreeView::mousePressEvent(event);
}

} // namespace loopscope
