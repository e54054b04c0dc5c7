#include "views/network_profile/profile_diff_model.h"

#include "views/session/text.h"

#include <QFont>

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {
const QString kNone = QStringLiteral("\u2013");
constexpr double kSame = 0.02; // of a time: less is not called better or worse
} // namespace

QString timeChangeText(double seconds) {
    const QString text = timeText(std::fabs(seconds));
    return seconds == 0 ? text : (seconds < 0 ? QStringLiteral("\u2212") : QStringLiteral("+")) + text;
}

ProfileDiffModel::ProfileDiffModel(const Theme &theme, const ProfileModel &kernels, QObject *parent)
    : TableModel(
          {
              {tr("Kernel"), tr("Operators that are computed together")},
              {tr("Nodes"), tr("Of the file, which it computes")},
              {tr("Before"), tr("In the profile that was kept or opened for comparison"), Qt::AlignRight},
              {tr("After"), tr("In the run that is shown"), Qt::AlignRight},
              {tr("Before/after"), tr("Above 1 it is faster now"), Qt::AlignRight},
              {tr("Change"), tr("After less before: what was gained stands with a minus sign. Sorted by its size"),
               Qt::AlignRight},
              {tr("Share"), tr("Of all that was gained or lost"), Qt::AlignRight},
          },
          parent),
      m_theme(theme), m_kernels(kernels) {
    connect(&m_kernels, &QAbstractItemModel::modelAboutToBeReset, this, [this] { beginResetModel(); });
    connect(&m_kernels, &QAbstractItemModel::modelReset, this, [this] {
        build();
        endResetModel();
    });
    build();
}

void ProfileDiffModel::build() {
    m_rows.clear();
    m_total = {};
    m_moved = 0;
    if (m_kernels.profile() == nullptr || m_kernels.other().empty()) return;
    std::vector<bool> paired(m_kernels.other().size());
    for (int row = 0; row < m_kernels.rowCount(); ++row) {
        Row made;
        made.ours = static_cast<size_t>(row);
        made.after = m_kernels.call(row).time.median;
        made.theirs = m_kernels.otherOf(row);
        if (made.theirs) {
            made.before = m_kernels.other()[*made.theirs].time.median;
            paired[*made.theirs] = true;
        }
        m_rows.push_back(made);
    }
    for (size_t other = 0; other < paired.size(); ++other)
        if (!paired[other]) m_rows.push_back({{}, other, m_kernels.other()[other].time.median, 0});
    for (const Row &row : m_rows) {
        m_total.before += row.before;
        m_total.after += row.after;
        m_moved += std::fabs(row.change());
    }
    order();
}

void ProfileDiffModel::order() {
    const auto key = [this](const Row &row) {
        const std::optional<double> value = number(row, m_column);
        return m_column == Change && value ? std::optional(std::fabs(*value)) : value;
    };
    // Rows without a number come last either way.
    const auto before = [&](const Row &a, const Row &b) {
        const bool up = m_order == Qt::AscendingOrder;
        if (m_column == Kernel || m_column == Nodes) {
            const int compared = QString::compare(name(a, m_column), name(b, m_column), Qt::CaseInsensitive);
            return up ? compared < 0 : compared > 0;
        }
        const auto x = key(a), y = key(b);
        if (!x || !y) return x.has_value() && !y.has_value();
        return up ? *x < *y : *x > *y;
    };
    std::ranges::stable_sort(m_rows, before);
}

void ProfileDiffModel::sort(int column, Qt::SortOrder order) {
    if (column < 0 || column >= ColumnCount) return;
    Q_EMIT layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
    const auto same = [](const Row &a, const Row &b) { return a.ours == b.ours && a.theirs == b.theirs; };
    const QModelIndexList old = persistentIndexList();
    const std::vector<Row> rows = m_rows;
    m_column = column;
    m_order = order;
    this->order();
    QModelIndexList moved;
    for (const QModelIndex &index : old) {
        if (isTotal(index.row())) {
            moved << index;
            continue;
        }
        const Row &was = rows[static_cast<size_t>(index.row())];
        const auto now = std::ranges::find_if(m_rows, [&](const Row &row) { return same(row, was); });
        moved << createIndex(static_cast<int>(now - m_rows.begin()), index.column());
    }
    changePersistentIndexList(old, moved);
    Q_EMIT layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

const ProfileDiffModel::Row &ProfileDiffModel::at(int row) const {
    return isTotal(row) ? m_total : m_rows[static_cast<size_t>(row)];
}

int ProfileDiffModel::kernelOf(int row) const {
    const auto &ours = at(row).ours;
    return ours ? static_cast<int>(*ours) : -1;
}

int ProfileDiffModel::rowOf(int kernel) const {
    const auto found = std::ranges::find(m_rows, std::optional(static_cast<size_t>(kernel)), &Row::ours);
    return found == m_rows.end() ? -1 : static_cast<int>(found - m_rows.begin());
}

int ProfileDiffModel::rowsShown() const { return m_rows.empty() ? 0 : static_cast<int>(m_rows.size()) + 1; }

std::optional<double> ProfileDiffModel::number(const Row &row, int column) const {
    const bool total = !row.ours && !row.theirs;
    switch (column) {
    case Before:
        return row.theirs || total ? std::optional(row.before) : std::nullopt;
    case After:
        return row.ours || total ? std::optional(row.after) : std::nullopt;
    case Ratio:
        return row.before > 0 && row.after > 0 ? std::optional(row.before / row.after) : std::nullopt;
    case Change:
        return row.change();
    case Share:
        return total || m_moved <= 0 ? std::nullopt : std::optional(std::fabs(row.change()) / m_moved);
    default:
        return std::nullopt;
    }
}

QString ProfileDiffModel::name(const Row &row, int column) const {
    if (row.ours)
        return m_kernels
            .index(static_cast<int>(*row.ours), column == Kernel ? ProfileModel::Kernel : ProfileModel::Nodes)
            .data()
            .toString();
    if (!row.theirs) return column == Kernel ? tr("All kernels") : QString();
    const TracedKernel &theirs = m_kernels.other()[*row.theirs];
    return qt(column == Kernel ? theirs.op : theirs.name);
}

QString ProfileDiffModel::text(int row, int column) const {
    if (column == Kernel || column == Nodes) return name(at(row), column);
    const std::optional<double> value = number(at(row), column);
    if (!value) return isTotal(row) && column == Share ? QString() : kNone;
    switch (column) {
    case Before:
    case After:
        return timeText(*value);
    case Ratio:
        return QString::number(*value, 'f', 2);
    case Change:
        return timeChangeText(*value);
    case Share:
        return percentText(*value);
    default:
        return {};
    }
}

QString ProfileDiffModel::tip(int row) const {
    const Row &shown = at(row);
    if (isTotal(row))
        return tr("All kernels: %1 before, %2 after; what lies between kernels is not among it")
            .arg(timeText(shown.before), timeText(shown.after));
    if (shown.ours) {
        const QString ours = m_kernels.index(static_cast<int>(*shown.ours), 0).data(Qt::ToolTipRole).toString();
        return shown.theirs ? ours : tr("Only in this run, without a partner before.\n%1").arg(ours);
    }
    const TracedKernel &theirs = m_kernels.other()[*shown.theirs];
    return tr("Only before, without a partner in this run: %1 (%2)").arg(qt(theirs.name), qt(theirs.op));
}

QVariant ProfileDiffModel::colour(int row, int column) const {
    const Row &shown = at(row);
    if (column != Ratio && column != Change) return {};
    if (std::fabs(shown.change()) <= kSame * std::max(shown.before, shown.after)) return {};
    return m_theme.color(shown.change() < 0 ? Role::Good : Role::Bad);
}

QVariant ProfileDiffModel::data(const QModelIndex &index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    switch (role) {
    case Qt::DisplayRole:
        return text(index.row(), index.column());
    case Qt::ToolTipRole:
        return tip(index.row());
    case Qt::TextAlignmentRole:
        return sideOf(index.column());
    case Qt::ForegroundRole:
        return colour(index.row(), index.column());
    case Qt::FontRole:
        if (isTotal(index.row())) {
            QFont bold;
            bold.setBold(true);
            return bold;
        }
        return {};
    default:
        return {};
    }
}

} // namespace loopscope
