#include "views/trials/trial_table_model.h"

#include "views/session/selection.h"

#include <QMimeData>
#include <QScopedValueRollback>

#include <algorithm>

namespace loopscope {

TrialTableModel::TrialTableModel(const Theme &theme, QObject *parent) : QAbstractTableModel(parent), m_theme(theme) {
    connect(&theme, &Theme::changed, this, [this] {
        if (!m_rows.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    });
}

// --- What happens to the document ----------------------------------------------------------------------------------

void TrialTableModel::setDocument(const Document *document) {
    const QScopedValueRollback<bool> changing(m_changingRows, true);
    Q_EMIT documentExchanged();
    beginResetModel();
    m_facts.setDocument(document);
    m_cells.restart(document == nullptr ? -1 : document->best);
    m_tileColumns = static_cast<int>(m_facts.tileColumns().size());
    m_arrangement.restart(columnCount());
    m_rows = m_arrangement.rows();
    indexRows();
    endResetModel();
    Q_EMIT tileColumnsChanged();
    Q_EMIT rowsShownChanged();
}

void TrialTableModel::trialsAdded(int first, int count) {
    m_facts.add(first, count);
    if (const int now = static_cast<int>(m_facts.tileColumns().size()); now != m_tileColumns) {
        beginInsertColumns({}, kFixedColumns + m_tileColumns, kFixedColumns + now - 1);
        m_tileColumns = now;
        endInsertColumns();
        Q_EMIT tileColumnsChanged();
    }
    updateScale();
    m_arrangement.add(first, count);
    arrange();
    columnChanged(static_cast<int>(TrialColumn::Rank));
    Q_EMIT rowsShownChanged();
}

void TrialTableModel::trialsChanged(const std::vector<int> &trials) {
    m_facts.change(trials);
    m_cells.measuredAgain(trials);
    updateScale();
    m_arrangement.sortAnew();
    arrange();
    trialsLookChanged(trials);
    columnChanged(static_cast<int>(TrialColumn::Rank));
    Q_EMIT rowsShownChanged();
}

void TrialTableModel::setBest(int trial) {
    const int before = m_cells.setBest(trial);
    m_facts.rankAnew();
    if (m_arrangement.bestChanged()) arrange();
    trialsLookChanged({before, trial});
    columnChanged(static_cast<int>(TrialColumn::Rank));
    Q_EMIT rowsShownChanged();
}

void TrialTableModel::setPeak(double gflops) {
    m_facts.setPeak(gflops);
    if (m_arrangement.filtered()) arrange();
    columnChanged(static_cast<int>(TrialColumn::Peak));
    Q_EMIT rowsShownChanged();
}

void TrialTableModel::baselineChanged() { columnChanged(static_cast<int>(TrialColumn::Against)); }

void TrialTableModel::updateScale() {
    if (!m_cells.rescale()) return;
    const int time = static_cast<int>(TrialColumn::Time);
    Q_EMIT headerDataChanged(Qt::Horizontal, time, time);
    columnChanged(time);
}

void TrialTableModel::columnChanged(int column) {
    if (!m_rows.empty()) Q_EMIT dataChanged(index(0, column), index(rowCount() - 1, column));
}

void TrialTableModel::trialsLookChanged(const std::vector<int> &trials) {
    constexpr size_t kMany = 64; // told of at once
    if (trials.size() > kMany) {
        if (!m_rows.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
        return;
    }
    for (const int t : trials)
        if (const int row = rowOf(t); row >= 0) Q_EMIT dataChanged(index(row, 0), index(row, columnCount() - 1));
}

// --- What the user wants to see ------------------------------------------------------------------------------------

void TrialTableModel::setFilter(std::shared_ptr<const TrialFilter> filter) {
    if (!m_arrangement.setFilter(std::move(filter))) return;
    arrange();
    Q_EMIT rowsShownChanged();
    Q_EMIT rearranged();
}

void TrialTableModel::setOnly(std::optional<std::vector<int>> trials) {
    if (!m_arrangement.setOnly(std::move(trials))) return;
    arrange();
    Q_EMIT rowsShownChanged();
    Q_EMIT rearranged();
}

void TrialTableModel::setPinnedFirst(bool first) {
    if (!m_arrangement.setPinnedFirst(first)) return;
    arrange();
    Q_EMIT rearranged();
}

void TrialTableModel::sort(int column, Qt::SortOrder order) {
    m_arrangement.sortBy(column < columnCount() ? column : -1, order);
    arrange();
    Q_EMIT rearranged();
}

void TrialTableModel::setMarked(std::vector<int> trials) { trialsLookChanged(m_cells.setMarked(std::move(trials))); }

void TrialTableModel::setRemeasuring(std::vector<int> trials) {
    m_cells.setRemeasuring(std::move(trials));
    columnChanged(static_cast<int>(TrialColumn::Time));
}

void TrialTableModel::arrange() {
    std::vector<int> rows = m_arrangement.rows();
    if (rows == m_rows) {
        indexRows(); // the number of trials may have grown all the same
        return;
    }
    const QScopedValueRollback<bool> changing(m_changingRows, true);
    std::vector<char> wanted(static_cast<size_t>(m_facts.size()), 0);
    for (const int t : rows) wanted[static_cast<size_t>(t)] = 1;

    // What leaves, as runs of rows from the end; too many runs cost views more than a fresh start.
    std::vector<std::pair<int, int>> runs;
    for (int row = rowCount() - 1; row >= 0; --row) {
        if (wanted[static_cast<size_t>(trialAt(row))] != 0) continue;
        const int last = row;
        while (row > 0 && wanted[static_cast<size_t>(trialAt(row - 1))] == 0) --row;
        runs.emplace_back(row, last);
    }
    constexpr size_t kMaxRuns = 32;
    if (runs.size() > kMaxRuns) {
        beginResetModel();
        m_rows = std::move(rows);
        indexRows();
        endResetModel();
        return;
    }
    for (const auto &[first, last] : runs) {
        beginRemoveRows({}, first, last);
        m_rows.erase(m_rows.begin() + first, m_rows.begin() + last + 1);
        indexRows();
        endRemoveRows();
    }
    if (m_rows.size() < rows.size()) {
        std::vector<int> all = m_rows;
        for (const int t : m_rows) wanted[static_cast<size_t>(t)] = 0;
        for (const int t : rows)
            if (wanted[static_cast<size_t>(t)] != 0) all.push_back(t);
        beginInsertRows({}, rowCount(), static_cast<int>(rows.size()) - 1);
        m_rows = std::move(all);
        indexRows();
        endInsertRows();
    }
    if (rows == m_rows) return;
    Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
    const QModelIndexList held = persistentIndexList();
    std::vector<int> trials;
    trials.reserve(static_cast<size_t>(held.size()));
    for (const QModelIndex &i : held) trials.push_back(trialAt(i.row()));
    m_rows = std::move(rows);
    indexRows();
    QModelIndexList moved;
    moved.reserve(held.size());
    for (qsizetype i = 0; i < held.size(); ++i) moved << index(rowOf(trials[static_cast<size_t>(i)]), held[i].column());
    changePersistentIndexList(held, moved);
    Q_EMIT layoutChanged({}, VerticalSortHint);
}

void TrialTableModel::indexRows() {
    m_rowOf.assign(static_cast<size_t>(m_facts.size()), -1);
    for (size_t row = 0; row < m_rows.size(); ++row) m_rowOf[static_cast<size_t>(m_rows[row])] = static_cast<int>(row);
}

int TrialTableModel::rowOf(int trial) const {
    return trial >= 0 && static_cast<size_t>(trial) < m_rowOf.size() ? m_rowOf[static_cast<size_t>(trial)] : -1;
}

// --- As a model ----------------------------------------------------------------------------------------------------

int TrialTableModel::rowCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int TrialTableModel::columnCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : kFixedColumns + m_tileColumns;
}

Qt::ItemFlags TrialTableModel::flags(const QModelIndex &index) const {
    if (!index.isValid()) return Qt::NoItemFlags;
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsDragEnabled | Qt::ItemNeverHasChildren;
    if (index.column() == static_cast<int>(TrialColumn::Note)) flags |= Qt::ItemIsEditable;
    return flags;
}

bool TrialTableModel::setData(const QModelIndex &index, const QVariant &value, int role) {
    if (!index.isValid() || role != Qt::EditRole || index.column() != static_cast<int>(TrialColumn::Note)) return false;
    const int trial = trialAt(index.row());
    const QString note = value.toString().trimmed();
    if (note != m_facts.entry(trial).later->note) Q_EMIT noteEdited(trial, note);
    return true;
}

QStringList TrialTableModel::mimeTypes() const {
    return {QLatin1String(kTrialsMimeType), QStringLiteral("text/plain")};
}

QMimeData *TrialTableModel::mimeData(const QModelIndexList &indexes) const {
    std::vector<int> trials;
    for (const QModelIndex &index : indexes) trials.push_back(trialAt(index.row()));
    std::sort(trials.begin(), trials.end());
    trials.erase(std::unique(trials.begin(), trials.end()), trials.end());
    QStringList numbers;
    QStringList names;
    for (const int t : trials) {
        numbers << QString::number(t);
        names << QStringLiteral("trial %1").arg(t + 1);
    }
    auto *data = new QMimeData;
    data->setData(QLatin1String(kTrialsMimeType), numbers.join(QLatin1Char(' ')).toUtf8());
    data->setText(names.join(QStringLiteral(", ")));
    return data;
}

QVariant TrialTableModel::data(const QModelIndex &index, int role) const {
    if (!index.isValid()) return {};
    const int trial = trialAt(index.row());
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole:
        if (column == static_cast<int>(TrialColumn::Pinned)) return {}; // drawn as an icon
        if (column == static_cast<int>(TrialColumn::Time) && m_cells.isRemeasured(trial))
            return QStringLiteral("again \u2026");
        return m_cells.text(trial, column);
    case Qt::EditRole:
        return m_cells.text(trial, column);
    case Qt::DecorationRole:
        if (column != static_cast<int>(TrialColumn::Pinned) || !m_facts.entry(trial).pinned) return {};
        return m_theme.icon(QStringLiteral("pin"));
    case Qt::TextAlignmentRole:
        return static_cast<int>(TrialCells::alignment(column));
    case Qt::ToolTipRole:
        return m_cells.toolTip(trial, column);
    case Qt::AccessibleTextRole:
        return QStringLiteral("%1: %2").arg(headerData(column, Qt::Horizontal, Qt::DisplayRole).toString(),
                                            m_cells.text(trial, column));
    case Qt::BackgroundRole:
    case Qt::ForegroundRole:
    case Qt::FontRole:
        return m_cells.look(trial, column, role);
    case TrialRole:
        return trial;
    case MarkedRole:
        return m_cells.isMarked(trial);
    default:
        return {};
    }
}

QVariant TrialTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (section < 0) return {};
    if (orientation == Qt::Vertical) {
        if (section >= rowCount() || role != Qt::DisplayRole) return {};
        return trialAt(section) + 1;
    }
    if (section >= columnCount()) return {};
    return role == ColumnIdRole ? QVariant(m_cells.id(section)) : m_cells.header(section, role);
}

} // namespace loopscope
