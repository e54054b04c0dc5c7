#include "views/edits/edit_tree_model.h"

#include "views/session/baseline.h"
#include "views/session/text.h"

#include <QFont>
#include <QFontMetrics>
#include <QLocale>
#include <QSize>

#include <cmath>
#include <optional>
#include <utility>

namespace loopscope {

namespace {

QString madeText(const QDateTime &made) {
    if (!made.isValid()) return {};
    return made.date() == QDate::currentDate() ? made.time().toString(QStringLiteral("HH:mm:ss"))
                                               : made.toString(QStringLiteral("yyyy-MM-dd HH:mm"));
}

bool isNumber(int column) {
    return column == EditTreeModel::PredictedColumn || column == EditTreeModel::MeasuredColumn ||
           column == EditTreeModel::AgainstColumn;
}

QString stepsText(const EditedSteps &steps) {
    const size_t applied = steps.state().steps().size();
    const QString all = countedText(steps.size(), "step");
    return applied == steps.size() ? all : QStringLiteral("%1, %2 refused").arg(all).arg(steps.size() - applied);
}

} // namespace

EditTreeModel::EditTreeModel(EditedSchedules &edits, const HandMeasuring &measuring, const Theme &theme,
                             QObject *parent)
    : QAbstractItemModel(parent), m_edits(edits), m_measuring(measuring), m_theme(theme) {}

QString EditTreeModel::standing(int number) const {
    return m_measuring.standing(m_task, {ScheduleRef::Kind::Edited, number});
}

void EditTreeModel::takeBaseline(const TaskState *state) {
    m_against.clear();
    if (state == nullptr || state->baseline < 0) return;
    for (size_t i = 0; i < state->edited.size(); ++i) {
        const ScheduleRef ref{ScheduleRef::Kind::Edited, static_cast<int>(i)};
        const auto told = state->edited[i].dropped ? std::nullopt : againstBaseline(*state, ref);
        const bool itself = state->edited[i].measured.trial == state->baseline;
        m_against.push_back(
            told ? Against{itself ? tr("baseline") : deltaText(told->change), againstBaselineTip(*state, ref)}
                 : Against{});
    }
}

void EditTreeModel::refresh(const TaskState *state) {
    takeBaseline(state);
    EditRows rows = state != nullptr ? editRows(state->edited) : EditRows{};
    const int task = state != nullptr ? state->taskId : -1;
    if (task != m_task || !(rows == m_rows)) {
        beginResetModel();
        m_task = task;
        m_rows = std::move(rows);
        m_written.clear();
        for (const EditRow &row : m_rows.rows) m_written.push_back(written(row.node));
        endResetModel();
        return;
    }
    // A prediction may come while a name is typed: a cell that is told to have changed would be read anew.
    for (size_t i = 0; i < m_rows.rows.size(); ++i) {
        const int node = m_rows.rows[i].node;
        QString now = written(node);
        if (std::exchange(m_written[i], now) != now) {
            Q_EMIT dataChanged(indexOf(node), indexOf(node, ColumnCount - 1));
        } else {
            Q_EMIT dataChanged(indexOf(node), indexOf(node));
            Q_EMIT dataChanged(indexOf(node, PredictedColumn), indexOf(node, MadeColumn));
        }
    }
}

QString EditTreeModel::written(int number) const {
    const EditNode *found = m_edits.node(number);
    if (found == nullptr) return {};
    return found->name + (found->pinned ? u'\x1' : u'\x2') + found->note;
}

void EditTreeModel::setShown(int node) {
    const int before = std::exchange(m_shown, node);
    if (before == node) return;
    for (const int changed : {before, node})
        if (const QModelIndex index = indexOf(changed); index.isValid())
            Q_EMIT dataChanged(index, indexOf(changed, ColumnCount - 1));
}

const EditRow *EditTreeModel::rowAt(const QModelIndex &index) const {
    return index.isValid() ? &m_rows.rows[index.internalId()] : nullptr;
}

int EditTreeModel::nodeAt(const QModelIndex &index) const {
    const EditRow *row = rowAt(index);
    return row == nullptr ? -1 : row->node;
}

QModelIndex EditTreeModel::indexOf(int node, int column) const {
    if (node < 0 || static_cast<size_t>(node) >= m_rows.rowOfNode.size()) return {};
    const int row = m_rows.rowOfNode[static_cast<size_t>(node)];
    if (row < 0) return {};
    return createIndex(m_rows.rows[static_cast<size_t>(row)].ordinal, column, static_cast<quintptr>(row));
}

std::vector<int> EditTreeModel::branch(int node) const {
    std::vector<int> all{node};
    for (size_t i = 0; i < all.size(); ++i)
        for (const int child : m_edits.children(all[i])) all.push_back(child);
    return all;
}

QModelIndex EditTreeModel::index(int row, int column, const QModelIndex &parent) const {
    if (row < 0 || column < 0 || column >= ColumnCount || row >= rowCount(parent)) return {};
    const EditRow *above = rowAt(parent);
    const std::vector<int> &rows = above != nullptr ? above->children : m_rows.roots;
    return createIndex(row, column, static_cast<quintptr>(rows[static_cast<size_t>(row)]));
}

QModelIndex EditTreeModel::parent(const QModelIndex &child) const {
    const EditRow *row = rowAt(child);
    if (row == nullptr || row->parent < 0) return {};
    return createIndex(m_rows.rows[static_cast<size_t>(row->parent)].ordinal, 0, static_cast<quintptr>(row->parent));
}

int EditTreeModel::rowCount(const QModelIndex &parent) const {
    if (!parent.isValid()) return static_cast<int>(m_rows.roots.size());
    return parent.column() == 0 ? static_cast<int>(rowAt(parent)->children.size()) : 0;
}

int EditTreeModel::columnCount(const QModelIndex & /*parent*/) const { return ColumnCount; }

const EditNode *EditTreeModel::node(const QModelIndex &index) const { return m_edits.node(nodeAt(index)); }

QString EditTreeModel::text(const EditNode &node, int number, int column) const {
    switch (column) {
    case DidColumn:
        return node.parent < 0 ? tr("from the %1").arg(node.did) : node.did;
    case NameColumn:
        return node.name.isEmpty() ? QStringLiteral("#%1").arg(number + 1) : node.name;
    case PredictedColumn:
        return std::isfinite(node.predicted) ? percentText(node.predicted) : QString();
    case MeasuredColumn:
        if (const QString now = standing(number); !now.isEmpty())
            return now.startsWith(u"being") ? tr("measuring \u2026") : tr("waiting \u2026");
        return node.measured.words();
    case AgainstColumn:
        return static_cast<size_t>(number) < m_against.size() ? m_against[static_cast<size_t>(number)].change
                                                              : QString();
    case MadeColumn:
        return madeText(node.made);
    case NoteColumn:
        return QString(node.note).replace(u'\n', u' ');
    default:
        return {};
    }
}

QString EditTreeModel::tip(const EditNode &node, int number, int column) const {
    if (column == PredictedColumn && std::isfinite(node.predicted))
        return tr("Predicted to take %1 of the time of the naive schedule").arg(percentText(node.predicted));
    if (column == MeasuredColumn && !standing(number).isEmpty()) return tr("This schedule is %1").arg(standing(number));
    if (column == MeasuredColumn && !node.measured.failure.isEmpty())
        return tr("Measuring failed: %1").arg(node.measured.failure);
    if (column == AgainstColumn) {
        const QString told =
            static_cast<size_t>(number) < m_against.size() ? m_against[static_cast<size_t>(number)].tip : QString();
        return told.isEmpty() ? tr("Not measured: there is no time to set against the baseline") : told;
    }
    if (column == MadeColumn) return QLocale().toString(node.made, QLocale::LongFormat);
    if (column == NoteColumn) return node.note;
    QString all = tr("Edited schedule %1: %2\n%3").arg(QString::number(number + 1), node.did, stepsText(node.steps));
    if (!node.note.isEmpty()) all += u'\n' + node.note;
    return all;
}

QVariant EditTreeModel::data(const QModelIndex &index, int role) const {
    const EditNode *found = node(index);
    if (found == nullptr) return {};
    const int number = nodeAt(index);
    const bool own = index.column() == NameColumn && !found->name.isEmpty();
    switch (role) {
    case Qt::DisplayRole:
        return text(*found, number, index.column());
    case Qt::EditRole:
        return index.column() == NoteColumn ? found->note : found->name;
    case Qt::ToolTipRole:
        return tip(*found, number, index.column());
    case Qt::DecorationRole:
        return index.column() == NameColumn && found->pinned ? QVariant(m_theme.icon(QStringLiteral("pin")))
                                                             : QVariant();
    case Qt::FontRole: {
        QFont font;
        font.setBold(number == m_shown || own);
        return font;
    }
    case Qt::ForegroundRole:
        if (index.column() == MeasuredColumn && !standing(number).isEmpty())
            return m_theme.color(loopscope::Role::QuietText);
        if (index.column() == MeasuredColumn && !found->measured.failure.isEmpty())
            return m_theme.color(loopscope::Role::Bad);
        if (index.column() == DidColumn || own) {
            const bool refused = found->steps.state().steps().size() != found->steps.size();
            return m_theme.color(refused && !own ? loopscope::Role::Bad : loopscope::Role::Text);
        }
        return m_theme.color(isNumber(index.column()) ? loopscope::Role::Text : loopscope::Role::QuietText);
    case Qt::BackgroundRole:
        return number == m_shown ? QVariant(m_theme.color(loopscope::Role::Highlight)) : QVariant();
    case Qt::TextAlignmentRole:
        return static_cast<int>(Qt::AlignVCenter | (isNumber(index.column()) ? Qt::AlignRight : Qt::AlignLeft));
    case Qt::SizeHintRole: // lines between the dots need their length
        return QSize(0, QFontMetrics(QFont()).height() + 6);
    case ShownRole:
        return number == m_shown;
    default:
        return {};
    }
}

bool EditTreeModel::setData(const QModelIndex &index, const QVariant &value, int role) {
    if (role != Qt::EditRole || !(flags(index) & Qt::ItemIsEditable)) return false;
    const int number = nodeAt(index);
    if (index.column() == NoteColumn)
        m_edits.setNote(number, value.toString());
    else
        m_edits.rename(number, value.toString());
    return true;
}

Qt::ItemFlags EditTreeModel::flags(const QModelIndex &index) const {
    if (node(index) == nullptr) return Qt::NoItemFlags;
    const bool written = index.column() == NameColumn || index.column() == NoteColumn;
    const Qt::ItemFlags all = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    return written ? all | Qt::ItemIsEditable : all;
}

QVariant EditTreeModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    static const QStringList names{tr("Edit"),        tr("Name"), tr("Predicted"), tr("Measured"),
                                   tr("vs baseline"), tr("Made"), tr("Note")};
    static const QStringList tips{tr("What made this schedule of the one above it"),
                                  tr("Yours, or the number of the edited schedule"),
                                  tr("Predicted time, of that of the naive schedule"),
                                  tr("Measured time of a call"),
                                  tr("Measured time against that of the baseline, a trial that you chose"),
                                  tr("When it was made"),
                                  tr("Yours")};
    if (role == Qt::DisplayRole) return names[section];
    if (role == Qt::ToolTipRole) return tips[section];
    return {};
}

} // namespace loopscope
