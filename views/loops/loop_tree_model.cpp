#include "views/loops/loop_tree_model.h"

#include "views/session/text.h"

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

QString kindSentence(const LoopRow &row) {
    if (row.kind != RowKind::Loop) return {};
    QString text;
    switch (row.loop) {
    case LoopKind::Serial:
        text = QStringLiteral("Serial loop");
        break;
    case LoopKind::Parallel:
        text = QStringLiteral("Parallel loop: its iterations are spread over threads");
        break;
    case LoopKind::Vectorized:
        text = QStringLiteral("Vectorized loop: its iterations are the lanes of vector instructions");
        break;
    case LoopKind::Unrolled:
        text = QStringLiteral("Unrolled loop: its iterations are written out");
        break;
    case LoopKind::BlockX:
    case LoopKind::BlockY:
    case LoopKind::BlockZ:
        text =
            QStringLiteral("Loop bound to %1: its iterations are blocks of the grid, each on a multiprocessor, in no "
                           "order and with shared memory of its own")
                .arg(loopKindText(row.loop));
        break;
    case LoopKind::ThreadX:
    case LoopKind::ThreadY:
    case LoopKind::ThreadZ:
        text =
            QStringLiteral("Loop bound to %1: its iterations are threads of a block, which run at once and share its "
                           "shared memory")
                .arg(loopKindText(row.loop));
        break;
    case LoopKind::VThread:
        text = QStringLiteral("Virtual threads: one thread does the iterations in turn, each as if it were a thread of "
                              "its own, so that what a thread computes lies apart");
        break;
    }
    if (row.reduction) text += QStringLiteral(", over a reduction");
    if (row.tileLevel >= 0) text += QStringLiteral(", tile level %1 (0 is the outermost)").arg(row.tileLevel);
    return text;
}

bool isNumeric(int column) {
    return column == LoopTreeModel::ExtentColumn || column == LoopTreeModel::TotalColumn ||
           column == LoopTreeModel::ScoreColumn;
}

QString tipOf(const LoopRow &row, int column) {
    QStringList lines;
    switch (column) {
    case LoopTreeModel::LoopColumn:
        if (row.kind == RowKind::Loop) {
            lines << kindSentence(row) << row.serialised;
            if (!row.axes.isEmpty()) lines << QStringLiteral("Runs over %1").arg(row.axes.join(QStringLiteral(", ")));
            if (row.unrollUpTo == 0)
                lines << QStringLiteral("From here inward, nothing is unrolled that does not ask for it itself");
            if (row.unrollUpTo > 0)
                lines << QStringLiteral("From here inward, nests of at most %1 steps are unrolled").arg(row.unrollUpTo);
        } else {
            lines << row.text;
            if (row.kind == RowKind::Guard)
                lines << (row.likely ? QStringLiteral("A guard for a tail: nearly always true")
                                     : QStringLiteral("A condition of the computation itself"));
            if (row.identity) lines << QStringLiteral("Writes the value the reduction starts from");
        }
        break;
    case LoopTreeModel::ExtentColumn:
        if (row.kind == RowKind::Loop)
            lines << (row.extent >= 0 ? QStringLiteral("%1 iterations").arg(row.extent)
                      : row.extentText == QLatin1String("?")
                          ? QStringLiteral("Open: the search fills it in")
                          : QStringLiteral("Differs from one outer iteration to the next: %1").arg(row.extentText));
        break;
    case LoopTreeModel::TotalColumn:
        if (std::isnan(row.total))
            lines << QStringLiteral("Not known: an extent further out is open or varies");
        else if (row.kind == RowKind::Loop)
            lines << QStringLiteral("How often its body runs in one call");
        else
            lines << QStringLiteral("How often it is reached in one call");
        if (row.atMost) lines << QStringLiteral("A guard further out makes it fewer");
        break;
    case LoopTreeModel::StorageColumn:
        lines << row.storageTip;
        break;
    default:
        lines << row.stage;
        break;
    }
    lines.removeAll(QString());
    return lines.join(u'\n');
}

} // namespace

void LoopTreeModel::setTree(LoopTreePtr tree) {
    beginResetModel();
    m_tree = std::move(tree);
    m_reasons.clear();
    m_marks.clear();
    m_marked.clear();
    m_found.clear();
    endResetModel();
}

void LoopTreeModel::setReasons(std::vector<RowReason> reasons) {
    m_reasons = std::move(reasons);
    Q_EMIT marksChanged(); // as the marks: one repaint of what is seen
}

const RowReason *LoopTreeModel::reasonOf(const QModelIndex &index) const {
    return index.isValid() && index.internalId() < m_reasons.size() ? &m_reasons[index.internalId()] : nullptr;
}

QString LoopTreeModel::cellText(const LoopRow &row, const QModelIndex &index) const {
    if (index.column() != BoundColumn && index.column() != ScoreColumn) return loopColumns(row).at(index.column());
    const RowReason *reason = reasonOf(index);
    if (reason == nullptr) return {};
    if (index.column() == BoundColumn) return reason->bound;
    if (!reason->scored || reason->score == 0) return {};
    const QString number = QString::number(std::fabs(reason->score), 'f', 3);
    return (reason->score < 0 ? QStringLiteral("\u2212") : QStringLiteral("+")) + number;
}

const LoopRow *LoopTreeModel::rowAt(const QModelIndex &index) const {
    return index.isValid() && m_tree ? &m_tree->row(static_cast<int>(index.internalId())) : nullptr;
}

QModelIndex LoopTreeModel::indexOf(int row, int column) const {
    if (!m_tree || row < 0 || static_cast<size_t>(row) >= m_tree->rows.size()) return {};
    return createIndex(m_tree->row(row).ordinal, column, static_cast<quintptr>(row));
}

std::vector<int> LoopTreeModel::rowsOf(const QString &stage, const QString &iterator) const {
    std::vector<int> rows;
    if (!m_tree || stage.isEmpty()) return rows;
    const auto collect = [&](auto &&matches) {
        for (size_t r = 0; r < m_tree->rows.size(); ++r)
            if (m_tree->rows[r].stage == stage && matches(m_tree->rows[r])) rows.push_back(static_cast<int>(r));
    };
    if (iterator.isEmpty()) {
        collect([](const LoopRow &) { return true; });
        return rows;
    }
    collect([&](const LoopRow &row) { return row.kind == RowKind::Loop && row.iterator == iterator; });
    if (rows.empty())
        collect([&](const LoopRow &row) { return row.kind == RowKind::Loop && row.axes.contains(iterator); });
    return rows;
}

std::vector<int> LoopTreeModel::rowsOf(const std::vector<LoopTarget> &targets) const {
    std::vector<int> rows;
    for (const LoopTarget &target : targets) {
        const std::vector<int> more = rowsOf(target.stage, target.iterator);
        rows.insert(rows.end(), more.begin(), more.end());
    }
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    return rows;
}

void LoopTreeModel::setMarks(const std::vector<int> &rows) {
    if (m_marks == rows) return;
    m_marks = rows;
    m_marked.assign(m_tree ? m_tree->rows.size() : 0, false);
    for (const int row : rows) m_marked[static_cast<size_t>(row)] = true;
    Q_EMIT marksChanged();
}

std::vector<int> LoopTreeModel::find(const QString &text) {
    std::vector<int> rows;
    m_found.clear();
    if (m_tree && !text.isEmpty()) {
        m_found.assign(m_tree->rows.size(), false);
        for (size_t r = 0; r < m_tree->rows.size(); ++r) {
            const LoopRow &row = m_tree->rows[r];
            const bool hit = rowText(row).contains(text, Qt::CaseInsensitive) ||
                             row.stage.contains(text, Qt::CaseInsensitive) ||
                             row.storage.contains(text, Qt::CaseInsensitive);
            if (!hit) continue;
            m_found[r] = true;
            rows.push_back(static_cast<int>(r));
        }
    }
    Q_EMIT marksChanged();
    return rows;
}

const std::vector<int> &LoopTreeModel::childrenOf(const QModelIndex &parent) const {
    static const std::vector<int> none;
    if (!m_tree) return none;
    if (!parent.isValid()) return m_tree->roots;
    return parent.column() == 0 ? m_tree->row(static_cast<int>(parent.internalId())).children : none;
}

QModelIndex LoopTreeModel::index(int row, int column, const QModelIndex &parent) const {
    const std::vector<int> &children = childrenOf(parent);
    if (row < 0 || static_cast<size_t>(row) >= children.size() || column < 0 || column >= ColumnCount) return {};
    return createIndex(row, column, static_cast<quintptr>(children[static_cast<size_t>(row)]));
}

QModelIndex LoopTreeModel::parent(const QModelIndex &child) const {
    const LoopRow *row = rowAt(child);
    return row == nullptr ? QModelIndex() : indexOf(row->parent);
}

int LoopTreeModel::rowCount(const QModelIndex &parent) const { return static_cast<int>(childrenOf(parent).size()); }

int LoopTreeModel::columnCount(const QModelIndex &) const { return ColumnCount; }

QVariant LoopTreeModel::data(const QModelIndex &index, int role) const {
    const LoopRow *row = rowAt(index);
    if (row == nullptr) return {};
    const auto flag = [&](const std::vector<bool> &flags) {
        return index.internalId() < flags.size() && flags[index.internalId()];
    };
    switch (role) {
    case Qt::DisplayRole:
        return cellText(*row, index);
    case Qt::ToolTipRole:
        if (index.column() == BoundColumn || index.column() == ScoreColumn) {
            const RowReason *reason = reasonOf(index);
            return reason == nullptr ? QString() : index.column() == BoundColumn ? reason->boundTip : reason->scoreTip;
        }
        return tipOf(*row, index.column());
    case Qt::TextAlignmentRole:
        return isNumeric(index.column()) ? QVariant(static_cast<int>(Qt::AlignRight | Qt::AlignVCenter))
                                         : QVariant(static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter));
    case Qt::AccessibleTextRole:
        return index.column() == LoopColumn && row->kind == RowKind::Loop
                   ? QVariant(rowText(*row) + QStringLiteral(", ") + kindSentence(*row))
                   : QVariant(cellText(*row, index));
    case RowRole:
        return static_cast<int>(index.internalId());
    case MarkRole:
        return flag(m_marked);
    case FoundRole:
        return flag(m_found);
    default:
        return {};
    }
}

QVariant LoopTreeModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    if (role == Qt::DisplayRole) return loopColumnNames().at(section);
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((isNumeric(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && section == BoundColumn)
        return QStringLiteral("What most of the estimated cycles inside go to, and how much; the bar: how much of the "
                              "kernel's cycles is spent inside");
    if (role == Qt::ToolTipRole && section == ScoreColumn)
        return QStringLiteral("What the loop adds to the score of a model that learnt the trials: the vector, unroll "
                              "and parallel features stand at their loops, all others at the statement");
    return {};
}

} // namespace loopscope
