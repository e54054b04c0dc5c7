#include "views/pictures/stage_strip_model.h"

#include "views/pictures/stage_image.h"

#include <QIcon>
#include <QPixmap>

#include <algorithm>
#include <utility>

namespace loopscope {

void StageStripModel::setRun(PictureRunPtr run) {
    beginResetModel();
    m_run = std::move(run);
    endResetModel();
}

const ShownStage *StageStripModel::stage(int row) const {
    if (!m_run || row < 0 || static_cast<size_t>(row) >= m_run->stages.size()) return nullptr;
    return &m_run->stages[static_cast<size_t>(row)];
}

int StageStripModel::rowOf(const QString &name) const {
    if (!m_run || name.isEmpty()) return -1;
    const auto &stages = m_run->stages;
    auto found = std::ranges::find(stages, name, &ShownStage::name);
    if (found == stages.end()) found = std::ranges::find(stages, name, &ShownStage::op);
    return found == stages.end() ? -1 : static_cast<int>(found - stages.begin());
}

int StageStripModel::rowCount(const QModelIndex &parent) const {
    return parent.isValid() || !m_run ? 0 : static_cast<int>(m_run->stages.size());
}

QVariant StageStripModel::data(const QModelIndex &index, int role) const {
    const ShownStage *shown = index.isValid() ? stage(index.row()) : nullptr;
    if (shown == nullptr) return {};
    switch (role) {
    case Qt::DisplayRole:
        return shown->name;
    case Qt::DecorationRole: {
        if (shown->thumbnail.isNull()) return {};
        const QPixmap pixmap = QPixmap::fromImage(shown->thumbnail);
        QIcon icon(pixmap);
        icon.addPixmap(pixmap, QIcon::Selected); // not tinted: its colours are what one looks at
        return icon;
    }
    case Qt::ToolTipRole:
    case Qt::AccessibleDescriptionRole: {
        const QString part = shown->part == ShownStage::Part::Input    ? tr("input")
                             : shown->part == ShownStage::Part::Output ? tr("output")
                                                                       : tr("stage %1").arg(index.row() + 1);
        return QStringLiteral("%1 (%2): %3").arg(shown->name, part, stageText(*shown));
    }
    default:
        return {};
    }
}

} // namespace loopscope
