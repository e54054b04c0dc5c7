#include "views/memory_layout/memory_picture.h"

#include <QObject>
#include <QStringList>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace loopscope {

namespace {

constexpr int64_t kMaxCells = 34; // in each direction: two blocks of 16, and what comes after them

} // namespace

MemoryCorner firstCorner(const std::vector<int64_t> &shape, std::vector<QString> axes, int64_t elementBytes) {
    MemoryCorner corner;
    corner.axes = std::move(axes);
    corner.elementBytes = elementBytes;
    const int rank = static_cast<int>(shape.size());
    corner.rows = std::max(0, rank - 2);
    corner.columns = std::max(0, rank - 1);
    corner.vectorAxis = corner.columns;
    return corner;
}

MemoryPicture::MemoryPicture(Layout layout, MemoryCorner corner)
    : m_layout(std::move(layout)), m_corner(std::move(corner)) {
    const std::vector<int64_t> &shape = m_layout.shape();
    if (shape.empty()) return;
    const auto extent = [&](int axis) { return shape[static_cast<size_t>(axis)]; };
    m_rows = m_corner.rows == m_corner.columns ? 1 : static_cast<int>(std::min(extent(m_corner.rows), kMaxCells));
    m_columns = static_cast<int>(std::min(extent(m_corner.columns), kMaxCells));
    std::map<int64_t, int> cellAt;
    for (int cell = 0; cell < m_rows * m_columns; ++cell) {
        const int64_t offset = m_layout.offsetOf(indexOf(cell));
        m_cells.push_back({offset, offset * m_corner.elementBytes / m_corner.lineBytes, -1});
        cellAt[offset] = cell;
    }
    for (MemoryCell &cell : m_cells)
        if (const auto next = cellAt.find(cell.offset + 1); next != cellAt.end()) cell.next = next->second;
}

std::vector<int64_t> MemoryPicture::indexOf(int cell) const {
    std::vector<int64_t> index(m_layout.shape().size());
    if (m_corner.rows != m_corner.columns) index[static_cast<size_t>(m_corner.rows)] = cell / m_columns;
    index[static_cast<size_t>(m_corner.columns)] = cell % m_columns;
    return index;
}

std::vector<int> MemoryPicture::onLineOf(int cell) const {
    std::vector<int> same;
    for (int other = 0; other < static_cast<int>(m_cells.size()); ++other)
        if (m_cells[static_cast<size_t>(other)].line == m_cells[static_cast<size_t>(cell)].line) same.push_back(other);
    return same;
}

std::vector<int> MemoryPicture::vectorFrom(int cell) const {
    std::vector<int> along{cell};
    const int step = m_corner.vectorAxis == m_corner.columns ? 1 : m_corner.vectorAxis == m_corner.rows ? m_columns : 0;
    if (step == 0) return along; // goes away from what is drawn
    const int row = cell / m_columns;
    for (int64_t lane = 1; lane < m_corner.lanes; ++lane) {
        const int next = cell + static_cast<int>(lane) * step;
        if (next >= static_cast<int>(m_cells.size()) || (step == 1 && next / m_columns != row)) break;
        along.push_back(next);
    }
    return along;
}

int MemoryPicture::linesOfVector(int cell) const {
    std::set<int64_t> lines;
    std::vector<int64_t> index = indexOf(cell);
    const auto axis = static_cast<size_t>(m_corner.vectorAxis);
    for (int64_t lane = 0; lane < m_corner.lanes && index[axis] < m_layout.shape()[axis]; ++lane, ++index[axis])
        lines.insert(m_layout.offsetOf(index) * m_corner.elementBytes / m_corner.lineBytes);
    return static_cast<int>(lines.size());
}

QString MemoryPicture::cellText(const QString &tensor, int cell) const {
    QStringList indices;
    const std::vector<int64_t> index = indexOf(cell);
    for (size_t d = 0; d < index.size(); ++d) indices << QStringLiteral("%1 = %2").arg(m_corner.axes[d]).arg(index[d]);
    const MemoryCell &at = m_cells[static_cast<size_t>(cell)];
    const int lines = linesOfVector(cell);
    return QObject::tr("%1[%2] at %3, line %4; a vector of %5 along %6: %7")
        .arg(tensor, indices.join(QStringLiteral(", ")))
        .arg(at.offset)
        .arg(at.line)
        .arg(m_corner.lanes)
        .arg(m_corner.axes[static_cast<size_t>(m_corner.vectorAxis)],
             lines == 1 ? QObject::tr("1 line") : QObject::tr("%1 lines").arg(lines));
}

} // namespace loopscope
