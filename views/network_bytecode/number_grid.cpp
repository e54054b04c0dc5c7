#include "views/network_bytecode/number_grid.h"

#include <algorithm>
#include <utility>

namespace loopscope {

namespace {

constexpr int64_t kMaxLines = 1'000'000; // a header has no more than it can add up

} // namespace

void NumberGrid::show(PictureRunPtr run, const ShownStage *stage, const StageLook &look) {
    beginResetModel();
    m_run = std::move(run);
    m_stage = stage;
    m_look = look;
    endResetModel();
}

int NumberGrid::extent(int axis) const {
    if (m_stage == nullptr || !m_stage->isPicture()) return 0;
    return static_cast<int>(std::min(kMaxLines, m_stage->value.shape[static_cast<size_t>(axis)]));
}

int NumberGrid::rowCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : extent(m_look.pixels.rows); }

int NumberGrid::columnCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : extent(m_look.pixels.columns);
}

QVariant NumberGrid::data(const QModelIndex &index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    if (role == Qt::DisplayRole) return pixelText(*m_stage, m_look, index.row(), index.column());
    if (role == Qt::ToolTipRole) return placeText(*m_stage, m_look, index.row(), index.column());
    if (role == Qt::TextAlignmentRole) return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

QVariant NumberGrid::headerData(int section, Qt::Orientation orientation, int role) const {
    const int count = orientation == Qt::Horizontal ? columnCount() : rowCount();
    if (role != Qt::DisplayRole || section < 0 || section >= count) return {};
    return QString::number(section);
}

} // namespace loopscope
