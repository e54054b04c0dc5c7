#include "views/actions/flow_layout.h"

#include <QWidget>

#include <algorithm>

namespace loopscope {

FlowLayout::FlowLayout(QWidget *parent, int horizontal, int vertical)
    : QLayout(parent), m_horizontal(horizontal), m_vertical(vertical) {
    setContentsMargins(0, 0, 0, 0);
}

FlowLayout::~FlowLayout() {
    for (QLayoutItem *item : m_items) delete item;
}

void FlowLayout::addItem(QLayoutItem *item) { m_items.push_back(item); }

QLayoutItem *FlowLayout::itemAt(int index) const {
    return index >= 0 && index < count() ? m_items[static_cast<size_t>(index)] : nullptr;
}

QLayoutItem *FlowLayout::takeAt(int index) {
    if (index < 0 || index >= count()) return nullptr;
    QLayoutItem *item = m_items[static_cast<size_t>(index)];
    m_items.erase(m_items.begin() + index);
    return item;
}

QSize FlowLayout::minimumSize() const {
    QSize size;
    for (const QLayoutItem *item : m_items)
        if (!item->isEmpty()) size = size.expandedTo(item->minimumSize());
    const QMargins margins = contentsMargins();
    return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom());
}

void FlowLayout::setGeometry(const QRect &rect) {
    QLayout::setGeometry(rect);
    layOut(rect, true);
}

int FlowLayout::layOut(const QRect &rect, bool move) const {
    const QRect inside = rect.marginsRemoved(contentsMargins());
    int x = inside.x();
    int y = inside.y();
    int line = 0; // height of the line begun
    std::vector<std::pair<QLayoutItem *, QRect>> row;
    const auto endLine = [&] {
        if (move)
            for (const auto &[item, place] : row)
                item->setGeometry(
                    QRect(place.x(), place.y() + (line - place.height()) / 2, place.width(), place.height()));
        row.clear();
    };
    for (QLayoutItem *item : m_items) {
        if (item->isEmpty()) continue; // hidden
        const QSize size = item->sizeHint().boundedTo(QSize(std::max(1, inside.width()), QWIDGETSIZE_MAX));
        if (x > inside.x() && x + size.width() > inside.right() + 1) {
            endLine();
            x = inside.x();
            y += line + m_vertical;
            line = 0;
        }
        row.emplace_back(item, QRect(QPoint(x, y), size));
        x += size.width() + m_horizontal;
        line = std::max(line, size.height());
    }
    endLine();
    return y + line - rect.y() + contentsMargins().bottom();
}

} // namespace loopscope
