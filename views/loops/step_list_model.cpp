#include "views/loops/step_list_model.h"

#include <algorithm>

namespace loopscope {

StepListModel::StepListModel(Theme &theme, QObject *parent)
    : TableModel(tableColumns({QStringLiteral("#"), QStringLiteral("Step"), QStringLiteral("Stage"),
                               QStringLiteral("Loop"), QStringLiteral("Parameters")},
                              {NumberColumn}),
                 parent),
      m_theme(theme) {}

void StepListModel::setSteps(std::vector<StepLine> steps) {
    beginResetModel();
    m_steps = std::move(steps);
    m_marked.clear();
    endResetModel();
}

void StepListModel::setMarked(const std::vector<int> &steps) {
    if (m_marked == steps) return;
    m_marked = steps;
    if (!m_steps.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1), {Qt::BackgroundRole});
}

std::vector<int> StepListModel::stepsOf(const QString &stage, const QString &iterator) const {
    std::vector<int> result;
    for (const StepLine &line : m_steps) {
        const bool concerned = std::any_of(line.targets.begin(), line.targets.end(), [&](const LoopTarget &target) {
            return target.stage == stage && (iterator.isEmpty() || target.iterator == iterator);
        });
        if (concerned) result.push_back(line.number);
    }
    return result;
}

int StepListModel::rowsShown() const { return static_cast<int>(m_steps.size()); }

QVariant StepListModel::data(const QModelIndex &index, int role) const {
    if (!index.isValid()) return {};
    const StepLine &line = m_steps[static_cast<size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        switch (index.column()) {
        case NumberColumn:
            return line.number;
        case WordColumn:
            return line.word;
        case StageColumn:
            return line.stage;
        case LoopColumn:
            return line.loop;
        case ParameterColumn:
            return line.problem.isEmpty() ? line.parameters : line.problem;
        default:
            return {};
        }
    case Qt::ToolTipRole:
        if (!line.problem.isEmpty()) return QString(line.problem + u'\n' + line.json);
        return index.column() == LoopColumn && !line.loop.isEmpty() ? line.loop + u'\n' + line.json : line.json;
    case Qt::ForegroundRole:
        if (!line.problem.isEmpty()) return m_theme.color(Role::Bad);
        return index.column() == NumberColumn || index.column() == StageColumn ? m_theme.color(Role::QuietText)
                                                                               : m_theme.color(Role::Text);
    case Qt::BackgroundRole:
        if (std::find(m_marked.begin(), m_marked.end(), line.number) != m_marked.end())
            return m_theme.color(Role::Highlight);
        return {};
    case Qt::FontRole:
        return index.column() == LoopColumn || index.column() == ParameterColumn ? QVariant(m_theme.codeFont())
                                                                                 : QVariant();
    case Qt::TextAlignmentRole:
        return sideOf(index.column());
    default:
        return {};
    }
}

} // namespace loopscope
