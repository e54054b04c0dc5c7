#include "views/steps/edited_step_model.h"

#include <QIcon>
#include <QMimeData>

#include <utility>

namespace loopscope {

namespace {
const QString kStepMimeType = QStringLiteral("application/x-loopscope-step");

/// The row has it already.
QString withoutNumber(const QString &problem, int row) {
    const QString number = QStringLiteral("step %1: ").arg(row);
    return problem.startsWith(number) ? problem.mid(number.size()) : problem;
}

} // namespace

EditedStepModel::EditedStepModel(const Theme &theme, QObject *parent)
    : TableModel(tableColumns({tr("#"), tr("Step"), tr("As a script line"), tr("As Ansor's array")}, {NumberColumn}),
                 parent),
      m_theme(theme) {}

void EditedStepModel::setSteps(std::vector<StepText> steps) {
    if (steps == m_steps) return;
    beginResetModel();
    m_steps = std::move(steps);
    endResetModel();
}

void EditedStepModel::setLocks(std::vector<Lock> locks) {
    if (locks == m_locks) return;
    m_locks = std::move(locks);
    if (rowCount() > 0) Q_EMIT dataChanged(index(0, NumberColumn), index(rowCount() - 1, NumberColumn));
}

EditedStepModel::Lock EditedStepModel::lock(int row) const {
    return row >= 0 && static_cast<size_t>(row) < m_locks.size() ? m_locks[static_cast<size_t>(row)] : Lock::None;
}

int EditedStepModel::rowsShown() const { return static_cast<int>(m_steps.size()); }

QVariant EditedStepModel::data(const QModelIndex &index, int role) const {
    if (!index.isValid()) return {};
    const StepText &step = m_steps[static_cast<size_t>(index.row())];
    const bool refused = !step.problem.isEmpty();
    switch (role) {
    case Qt::DisplayRole:
        switch (index.column()) {
        case NumberColumn:
            return index.row();
        case WordsColumn:
            return refused ? tr("refused: %1").arg(withoutNumber(step.problem, index.row())) : step.words;
        case ScriptColumn:
            return step.script;
        default:
            return step.array;
        }
    case Qt::ToolTipRole:
        if (index.column() == NumberColumn && lock(index.row()) != Lock::None)
            return lock(index.row()) == Lock::Whole ? tr("Locked: a search keeps this step as it is.")
                                                    : tr("Partly locked: a search keeps some of its lengths.");
        return refused ? QStringLiteral("%1\n%2\n%3").arg(step.problem, step.script, step.array)
                       : QStringLiteral("%1\n%2\n%3").arg(step.words, step.script, step.array);
    case Qt::DecorationRole:
        if (index.column() == NumberColumn && lock(index.row()) != Lock::None)
            return m_theme.icon(QStringLiteral("lock"));
        return refused && index.column() == WordsColumn ? QVariant(m_theme.icon(QStringLiteral("warning")))
                                                        : QVariant();
    case Qt::ForegroundRole:
        if (refused) return m_theme.color(Role::Bad);
        return m_theme.color(index.column() == WordsColumn || index.column() == ScriptColumn ? Role::Text
                                                                                             : Role::QuietText);
    case Qt::FontRole:
        return index.column() == ScriptColumn || index.column() == ArrayColumn ? QVariant(m_theme.codeFont())
                                                                               : QVariant();
    case Qt::TextAlignmentRole:
        return sideOf(index.column());
    default:
        return {};
    }
}

Qt::ItemFlags EditedStepModel::flags(const QModelIndex &index) const {
    // Dropped between rows, not on them.
    return index.isValid() ? TableModel::flags(index) | Qt::ItemIsDragEnabled : Qt::ItemIsDropEnabled;
}

QStringList EditedStepModel::mimeTypes() const { return {kStepMimeType}; }

QMimeData *EditedStepModel::mimeData(const QModelIndexList &indexes) const {
    if (indexes.isEmpty()) return nullptr;
    auto *data = new QMimeData;
    data->setData(kStepMimeType, QByteArray::number(indexes.first().row()));
    data->setText(m_steps[static_cast<size_t>(indexes.first().row())].script);
    return data;
}

bool EditedStepModel::canDropMimeData(const QMimeData *data, Qt::DropAction action, int /*row*/, int /*column*/,
                                      const QModelIndex & /*parent*/) const {
    return action == Qt::MoveAction && data->hasFormat(kStepMimeType);
}

bool EditedStepModel::dropMimeData(const QMimeData *data, Qt::DropAction action, int row, int column,
                                   const QModelIndex &parent) {
    if (!canDropMimeData(data, action, row, column, parent)) return false;
    const int from = data->data(kStepMimeType).toInt();
    int to = row >= 0 ? row : parent.isValid() ? parent.row() : rowCount();
    if (to > from) --to; // its own row is gone by then
    if (from >= 0 && from < rowCount() && to != from) Q_EMIT moveRequested(from, to);
    return false; // the view would take the row away
}

} // namespace loopscope
