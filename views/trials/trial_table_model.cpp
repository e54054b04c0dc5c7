#include "views/trials/trial_table_model.h"

#include "views/session/selection.h"

#include <QMimeData>
#include <QScopedValueRollback>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace loopscope {

namespace {

TrialColumn fixed(int column) { return static_cast<TrialColumn>(column); }

/// -1, 0, 1; what has no value comes after everything else, whichever way it is sorted.
int compareNumbers(double a, double b, bool descending) {
    if (std::isnan(a) || std::isnan(b)) return static_cast<int>(std::isnan(a)) - static_cast<int>(std::isnan(b));
    if (a == b) return 0;
    return (a < b) != descending ? -1 : 1;
}

int compareTexts(QStringView a, QStringView b, bool descending) {
    if (a.isEmpty() || b.isEmpty()) return static_cast<int>(a.isEmpty()) - static_cast<int>(b.isEmpty());
    const int order = a.compare(b, Qt::CaseInsensitive);
    return descending ? -order : order;
}

} // namespace

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
    m_best = document == nullptr ? -1 : document->best;
    m_remeasuring.clear();
    m_marked.clear(); // numbers of the other document's trials
    m_isMarked.clear();
    m_only.reset();
    m_tileColumns = static_cast<int>(m_facts.tileColumns().size());
    m_scale = timeScaleFor(m_facts.bestSeconds());
    m_rows.clear();
    if (m_sortColumn >= columnCount()) m_sortColumn = -1; // a loop that this task has not
    reorder();
    for (const int t : m_order)
        if (passes(t)) m_rows.push_back(t);
    indexRows();
    endResetModel();
    Q_EMIT tileColumnsChanged();
    Q_EMIT rowsShownChanged();
}

void TrialTableModel::trialsAdded(int first, int count) {
    const double bestBefore = m_facts.bestSeconds();
    m_facts.add(first, count);
    addTileColumns();
    if (m_facts.bestSeconds() != bestBefore) updateScale();
    const auto old = static_cast<ptrdiff_t>(m_order.size());
    for (int t = first; t < first + count; ++t) {
        m_order.push_back(t);
        m_keys.push_back(sortKey(t));
    }
    const auto inOrder = [this](int a, int b) { return before(a, b); };
    std::sort(m_order.begin() + old, m_order.end(), inOrder);
    std::inplace_merge(m_order.begin(), m_order.begin() + old, m_order.end(), inOrder);
    refilter();
    columnChanged(static_cast<int>(TrialColumn::Rank));
    Q_EMIT rowsShownChanged();
}

void TrialTableModel::trialsChanged(const std::vector<int> &trials) {
    m_facts.change(trials);
    std::erase_if(m_remeasuring, [&](int t) { return std::find(trials.begin(), trials.end(), t) != trials.end(); });
    updateScale();
    reorder();
    refilter();
    for (const int t : trials)
        if (const int row = rowOf(t); row >= 0) Q_EMIT dataChanged(index(row, 0), index(row, columnCount() - 1));
    columnChanged(static_cast<int>(TrialColumn::Rank));
    Q_EMIT rowsShownChanged();
}

void TrialTableModel::setBest(int trial) {
    const int before = std::exchange(m_best, trial);
    m_facts.rankAnew();
    if (m_filter && m_filter->relative()) refilter();
    for (const int t : {before, trial})
        if (const int row = rowOf(t); row >= 0) Q_EMIT dataChanged(index(row, 0), index(row, columnCount() - 1));
    columnChanged(static_cast<int>(TrialColumn::Rank));
    Q_EMIT rowsShownChanged();
}

void TrialTableModel::setPeak(double gflops) {
    m_facts.setPeak(gflops);
    if (m_filter) refilter();
    columnChanged(static_cast<int>(TrialColumn::Peak));
    Q_EMIT rowsShownChanged();
}

void TrialTableModel::addTileColumns() {
    const int now = static_cast<int>(m_facts.tileColumns().size());
    if (now == m_tileColumns) return;
    beginInsertColumns({}, kFixedColumns + m_tileColumns, kFixedColumns + now - 1);
    m_tileColumns = now;
    endInsertColumns();
    Q_EMIT tileColumnsChanged();
}

void TrialTableModel::updateScale() {
    const TimeScale scale = timeScaleFor(m_facts.bestSeconds());
    if (scale == m_scale) return;
    m_scale = scale;
    const int time = static_cast<int>(TrialColumn::Time);
    Q_EMIT headerDataChanged(Qt::Horizontal, time, time);
    columnChanged(time);
}

void TrialTableModel::columnChanged(int column) {
    if (!m_rows.empty()) Q_EMIT dataChanged(index(0, column), index(rowCount() - 1, column));
}

// --- What the user wants to see ------------------------------------------------------------------------------------

void TrialTableModel::setFilter(std::shared_ptr<const TrialFilter> filter) {
    if (filter == m_filter) return;
    m_filter = std::move(filter);
    refilter();
    Q_EMIT rowsShownChanged();
    Q_EMIT rearranged();
}

void TrialTableModel::setOnly(std::optional<std::vector<int>> trials) {
    if (trials == m_only) return;
    m_only = std::move(trials);
    refilter();
    Q_EMIT rowsShownChanged();
    Q_EMIT rearranged();
}

void TrialTableModel::setPinnedFirst(bool first) {
    if (first == m_pinnedFirst) return;
    m_pinnedFirst = first;
    reorder();
    refilter();
    Q_EMIT rearranged();
}

void TrialTableModel::sort(int column, Qt::SortOrder order) {
    m_sortColumn = column < columnCount() ? column : -1;
    m_sortOrder = order;
    reorder();
    refilter();
    Q_EMIT rearranged();
}

void TrialTableModel::setMarked(std::vector<int> trials) {
    std::vector<int> changed = m_marked;
    changed.insert(changed.end(), trials.begin(), trials.end());
    m_marked = std::move(trials);
    m_isMarked.assign(static_cast<size_t>(m_facts.size()), 0);
    for (const int t : m_marked)
        if (t >= 0 && t < m_facts.size()) m_isMarked[static_cast<size_t>(t)] = 1;
    if (changed.size() > 64) {
        if (!m_rows.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
        return;
    }
    for (const int t : changed)
        if (const int row = rowOf(t); row >= 0) Q_EMIT dataChanged(index(row, 0), index(row, columnCount() - 1));
}

void TrialTableModel::setRemeasuring(std::vector<int> trials) {
    m_remeasuring = std::move(trials);
    columnChanged(static_cast<int>(TrialColumn::Time));
}

bool TrialTableModel::passes(int trial) const {
    if (m_only && !std::binary_search(m_only->begin(), m_only->end(), trial)) return false;
    return !m_filter || m_filter->matches(m_facts, trial);
}

bool TrialTableModel::before(int a, int b) const {
    if (m_pinnedFirst && m_facts.entry(a).pinned != m_facts.entry(b).pinned) return m_facts.entry(a).pinned;
    const bool descending = m_sortOrder == Qt::DescendingOrder;
    int order = 0;
    if (m_sortColumn >= kFixedColumns) {
        const auto splitOf = [&](int trial) {
            const auto number = static_cast<size_t>(trial);
            return number < m_splits.size() ? m_splits[number] : m_facts.tile(m_sortColumn - kFixedColumns, trial);
        };
        const std::optional<SplitStep> x = splitOf(a);
        const std::optional<SplitStep> y = splitOf(b);
        order = !x || !y ? static_cast<int>(!x) - static_cast<int>(!y)
                         : (descending ? compareFactors(&*y, &*x) : compareFactors(&*x, &*y));
    } else if (m_sortColumn == static_cast<int>(TrialColumn::Reason)) {
        const std::string &x = m_facts.entry(a).trial.reason;
        const std::string &y = m_facts.entry(b).trial.reason;
        if (x.empty() || y.empty())
            order = static_cast<int>(x.empty()) - static_cast<int>(y.empty());
        else
            order = descending ? y.compare(x) : x.compare(y);
    } else if (m_sortColumn == static_cast<int>(TrialColumn::Mutation)) {
        order = compareTexts(m_facts.entry(a).mutation, m_facts.entry(b).mutation, descending);
    } else if (m_sortColumn == static_cast<int>(TrialColumn::Note)) {
        order = compareTexts(m_facts.entry(a).note, m_facts.entry(b).note, descending);
    } else if (m_sortColumn >= 0) {
        order =
            compareNumbers(m_facts.number(fixed(m_sortColumn), a), m_facts.number(fixed(m_sortColumn), b), descending);
    } else if (descending) {
        return a > b;
    }
    return order != 0 ? order < 0 : a < b;
}

double TrialTableModel::sortKey(int trial) const {
    if (m_sortColumn < 0 || m_sortColumn >= kFixedColumns) return 0;
    const TrialColumn column = fixed(m_sortColumn);
    // The same order by numbers that later trials, or measuring the peak, do not shift.
    if (column == TrialColumn::Rank) return m_facts.seconds(trial);
    return m_facts.number(column == TrialColumn::Peak ? TrialColumn::Gflops : column, trial);
}

void TrialTableModel::reorder() {
    const auto count = static_cast<size_t>(m_facts.size());
    m_keys.resize(count);
    for (size_t t = 0; t < count; ++t) m_keys[t] = sortKey(static_cast<int>(t));
    m_order.resize(count);
    std::iota(m_order.begin(), m_order.end(), 0);
    if (m_sortColumn >= kFixedColumns)
        for (size_t t = 0; t < count; ++t)
            m_splits.push_back(m_facts.tile(m_sortColumn - kFixedColumns, static_cast<int>(t)));
    std::sort(m_order.begin(), m_order.end(), [this](int a, int b) { return before(a, b); });
    m_splits = {};
}

void TrialTableModel::refilter() {
    // Asked in the order they lie in memory: in the order of the table every trial would be a cache miss.
    std::vector<char> passed(m_order.size());
    for (size_t t = 0; t < passed.size(); ++t) passed[t] = passes(static_cast<int>(t)) ? 1 : 0;
    std::vector<int> rows;
    rows.reserve(m_order.size());
    for (const int t : m_order)
        if (passed[static_cast<size_t>(t)] != 0) rows.push_back(t);
    setRows(std::move(rows));
}

void TrialTableModel::setRows(std::vector<int> rows) {
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
    constexpr size_t kMostRuns = 32;
    if (runs.size() > kMostRuns) {
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
    m_isMarked.resize(static_cast<size_t>(m_facts.size()), 0);
}

int TrialTableModel::rowOf(int trial) const {
    return trial >= 0 && static_cast<size_t>(trial) < m_rowOf.size() ? m_rowOf[static_cast<size_t>(trial)] : -1;
}

// --- Columns -------------------------------------------------------------------------------------------------------

QString TrialTableModel::columnId(int column) const {
    if (column < 0 || column >= columnCount()) return {};
    if (column < kFixedColumns) return QLatin1String(columnInfo(fixed(column)).id);
    return QStringLiteral("tile:") + m_facts.tileColumns()[column - kFixedColumns];
}

int TrialTableModel::columnOf(const QString &id) const {
    for (int column = 0; column < columnCount(); ++column)
        if (columnId(column) == id) return column;
    return -1;
}

bool TrialTableModel::shownByDefault(int column) const {
    return column >= kFixedColumns || columnInfo(fixed(column)).shown;
}

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
    if (note != m_facts.entry(trial).note) Q_EMIT noteEdited(trial, note);
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

} // namespace loopscope
