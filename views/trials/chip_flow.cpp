#include "views/trials/chip_flow.h"

#include <algorithm>

namespace loopscope {

ChipFlow::~ChipFlow() {
    for (QLayoutItem *item : m_items) delete item;
}

QLayoutItem *ChipFlow::itemAt(int index) const {
    return index >= 0 && index < count() ? m_items[static_cast<size_t>(index)] : nullptr;
}

QLayoutItem *ChipFlow::takeAt(int index) {
    QLayoutItem *item = itemAt(index);
    if (item != nullptr) m_items.erase(m_items.begin() + index);
    return item;
}

void ChipFlow::setGeometry(const QRect &box) {
    QLayout::setGeometry(box);
    place(box, true);
}

QSize ChipFlow::minimumSize() const {
    QSize size;
    for (const QLayoutItem *item : m_items)
        if (!item->isEmpty()) size = size.expandedTo(item->minimumSize());
    return size;
}

int ChipFlow::place(const QRect &box, bool move) const {
    int x = box.left();
    int y = box.top();
    int line = 0; // height of the current one
    for (QLayoutItem *item : m_items) {
        if (item->isEmpty()) continue;
        const QSize size = item->sizeHint();
        if (x > box.left() && x + size.width() > box.right() + 1) {
            x = box.left();
            y += line + m_gap / 2;
            line = 0;
        }
        if (move) item->setGeometry(QRect(QPoint(x, y), size));
        x += size.width() + m_gap;
        line = std::max(line, size.height());
    }
    return y + line - box.top();
}

} // namespace loopscope
