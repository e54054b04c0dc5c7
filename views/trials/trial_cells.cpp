// What a cell of the candidate table says and how it looks; see trial_table_model.h. Strings are made when a cell is
// drawn and forgotten at once.

#include "views/session/standing.h"
#include "views/session/text.h"
#include "views/trials/trial_table_model.h"

#include <QBrush>
#include <QFont>

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

TrialColumn fixed(int column) { return static_cast<TrialColumn>(column); }
QString decimals(double value, int count) { return QString::number(value, 'f', count); }

QString samplesText(const std::vector<double> &samples) {
    constexpr size_t kMost = 12;
    QStringList texts;
    for (size_t i = 0; i < std::min(kMost, samples.size()); ++i) texts << timeText(samples[i]);
    if (samples.size() > kMost) texts << QStringLiteral("\u2026 (%1 in all)").arg(samples.size());
    return texts.join(QStringLiteral(", "));
}

} // namespace

QString TrialTableModel::cellText(int trial, int column) const {
    if (column >= kFixedColumns) {
        const std::optional<SplitStep> split = m_facts.tile(column - kFixedColumns, trial);
        return !split ? QString() : factorsText(*split);
    }
    const TrialEntry &entry = m_facts.entry(trial);
    switch (fixed(column)) {
    case TrialColumn::Pinned:
        return entry.pinned ? QStringLiteral("pinned") : QString();
    case TrialColumn::Failure:
        return failureKind(entry.trial.error);
    case TrialColumn::Reason:
        return qt(entry.trial.reason).simplified();
    case TrialColumn::Mutation:
        return entry.mutation;
    case TrialColumn::Note:
        return entry.note;
    case TrialColumn::Unstable:
        return entry.trial.unstable ? QStringLiteral("unstable") : QString();
    default:
        break;
    }
    const double value = m_facts.number(fixed(column), trial);
    if (std::isnan(value)) return {};
    switch (fixed(column)) {
    case TrialColumn::Rank:
        return (trial == m_best ? QStringLiteral("\u2605 ") : QString()) + decimals(value, 0);
    case TrialColumn::Time:
        return decimals(value * m_scale.perSecond, m_scale.decimals);
    case TrialColumn::Spread:
    case TrialColumn::Peak:
        return decimals(value * 100, 1) + QStringLiteral(" %");
    case TrialColumn::Gflops:
        return decimals(value, value >= 1000 ? 0 : 1);
    case TrialColumn::Error:
        if (std::isinf(value)) return QStringLiteral("\u221e");
        return value >= 100 ? QString::number(value, 'g', 3) : decimals(value, 3);
    case TrialColumn::Predicted:
        return decimals(value, 3);
    case TrialColumn::Build:
    case TrialColumn::Run:
        return decimals(value, 2) + QStringLiteral(" s");
    case TrialColumn::Again:
        return value > 0 ? decimals(value, 0) : QString();
    default:
        return decimals(value, 0);
    }
}

QString TrialTableModel::csvText(int trial, int column) const {
    if (column >= kFixedColumns) {
        const std::optional<SplitStep> split = m_facts.tile(column - kFixedColumns, trial);
        return !split ? QString() : factorsText(*split).replace(QChar(0x00d7), QLatin1Char('x'));
    }
    switch (fixed(column)) {
    case TrialColumn::Failure:
    case TrialColumn::Reason:
    case TrialColumn::Mutation:
    case TrialColumn::Note:
        return cellText(trial, column);
    default:
        break;
    }
    const double value = m_facts.number(fixed(column), trial);
    return std::isnan(value) ? QString() : QString::number(value, 'g', 9);
}

QString TrialTableModel::csvHeader(int column) const {
    return column < kFixedColumns ? QString::fromUtf8(columnInfo(fixed(column)).csv)
                                  : m_facts.tileColumns()[column - kFixedColumns];
}

QString TrialTableModel::tooltip(int trial, int column) const {
    const TrialEntry &entry = m_facts.entry(trial);
    if (column == static_cast<int>(TrialColumn::Failure) || column == static_cast<int>(TrialColumn::Reason) ||
        (!entry.valid() && column == static_cast<int>(TrialColumn::Time)))
        return entry.valid()
                   ? QString()
                   : QStringLiteral("<b>%1</b><br>%2")
                         .arg(
                             failureKind(entry.trial.error),
                             qt(entry.trial.reason).toHtmlEscaped().replace(QLatin1Char('\n'), QStringLiteral("<br>")));
    if (column >= kFixedColumns) {
        const std::optional<SplitStep> split = m_facts.tile(column - kFixedColumns, trial);
        const QString loop = m_facts.tileColumns()[column - kFixedColumns];
        if (!split) return QStringLiteral("This schedule does not split %1.").arg(loop);
        return QStringLiteral("%1, %2 iterations, split into %3 (outermost first)")
            .arg(loop, split->extent > 0 ? QString::number(split->extent) : QStringLiteral("?"), factorsText(*split));
    }
    switch (fixed(column)) {
    case TrialColumn::Time:
    case TrialColumn::Spread: {
        QString text = samplesText(entry.again.empty() ? entry.trial.seconds : entry.again.back());
        if (entry.compared.known())
            text = QStringLiteral("%1 (%2 to %3), timed in turn with others\nFirst measured: %4")
                       .arg(timeText(entry.compared.seconds), timeText(entry.compared.low),
                            timeText(entry.compared.high), timeText(entry.trial.cost()));
        if (m_facts.document() != nullptr && unconfirmed(*m_facts.document(), trial))
            text += entry.compared.known()
                        ? QStringLiteral("\nThe first time could not be confirmed.")
                        : QStringLiteral("\nNot confirmed: it did not take part in the comparison, whose winner is "
                                         "slower than this.");
        if (!entry.again.empty() && !entry.compared.known())
            text += QStringLiteral("\nFirst measured: %1").arg(samplesText(entry.trial.seconds));
        if (entry.trial.unstable) text += QStringLiteral("\nThe best samples never agreed within 3 %.");
        return text;
    }
    case TrialColumn::Peak:
        if (m_facts.peak() <= 0)
            return QStringLiteral("Not known yet: the search view's roofline measures this machine's peak.");
        return QStringLiteral("of %1, measured on this machine").arg(gflopsText(m_facts.peak()));
    case TrialColumn::Error:
        return std::isnan(m_facts.number(TrialColumn::Error, trial))
                   ? QStringLiteral("Not compared: %1")
                         .arg(entry.valid() ? QStringLiteral("the log does not say") : QStringLiteral("it did not run"))
                   : QStringLiteral("Largest difference from the reference, as a multiple of the tolerance");
    case TrialColumn::Rank:
        return trial == m_best
                   ? QStringLiteral("The best: it won the last comparison, or has the least time while there was none")
                   : QString();
    case TrialColumn::Note:
    case TrialColumn::Mutation:
        return cellText(trial, column); // may be cut off in the cell
    default:
        return {};
    }
}

QVariant TrialTableModel::look(int trial, int column, int role) const {
    const TrialEntry &entry = m_facts.entry(trial);
    if (role == Qt::BackgroundRole) {
        if (m_isMarked[static_cast<size_t>(trial)] != 0) return QBrush(m_theme.color(::loopscope::Role::Highlight));
        if (!entry.valid()) return QBrush(m_theme.tint(::loopscope::Role::Bad));
        if (trial == m_best) return QBrush(m_theme.tint(::loopscope::Role::Good));
        return {};
    }
    const bool doubtful = column == static_cast<int>(TrialColumn::Time) && unconfirmed(*m_facts.document(), trial);
    if (role == Qt::FontRole && (trial == m_best || doubtful)) {
        QFont font;
        font.setBold(trial == m_best);
        font.setItalic(doubtful);
        return font;
    }
    if (role != Qt::ForegroundRole || column >= kFixedColumns) return {};
    switch (fixed(column)) {
    case TrialColumn::Failure:
        return QBrush(m_theme.color(::loopscope::Role::Bad));
    case TrialColumn::Unstable:
        return QBrush(m_theme.color(::loopscope::Role::Warning));
    case TrialColumn::Error:
        return entry.trial.error == TrialError::WrongAnswer ? QBrush(m_theme.color(::loopscope::Role::Bad))
                                                            : QVariant();
    case TrialColumn::Time:
        if (std::find(m_remeasuring.begin(), m_remeasuring.end(), trial) != m_remeasuring.end())
            return QBrush(m_theme.color(::loopscope::Role::Accent));
        return entry.trial.unstable || doubtful ? QBrush(m_theme.color(::loopscope::Role::Warning)) : QVariant();
    default:
        return {};
    }
}

QVariant TrialTableModel::data(const QModelIndex &index, int role) const {
    if (!index.isValid()) return {};
    const int trial = trialAt(index.row());
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole:
        if (column == static_cast<int>(TrialColumn::Pinned)) return {}; // drawn as an icon
        if (column == static_cast<int>(TrialColumn::Time) &&
            std::find(m_remeasuring.begin(), m_remeasuring.end(), trial) != m_remeasuring.end())
            return QStringLiteral("again \u2026");
        return cellText(trial, column);
    case Qt::EditRole:
        return cellText(trial, column);
    case Qt::DecorationRole:
        if (column != static_cast<int>(TrialColumn::Pinned) || !m_facts.entry(trial).pinned) return {};
        return m_theme.icon(QStringLiteral("pin"));
    case Qt::TextAlignmentRole:
        return static_cast<int>(
            Qt::AlignVCenter |
            (column >= kFixedColumns || !columnInfo(fixed(column)).number ? Qt::AlignLeft : Qt::AlignRight));
    case Qt::ToolTipRole:
        return tooltip(trial, column);
    case Qt::AccessibleTextRole:
        return QStringLiteral("%1: %2").arg(headerData(column, Qt::Horizontal, Qt::DisplayRole).toString(),
                                            cellText(trial, column));
    case Qt::BackgroundRole:
    case Qt::ForegroundRole:
    case Qt::FontRole:
        return look(trial, column, role);
    case TrialRole:
        return trial;
    case MarkedRole:
        return m_isMarked[static_cast<size_t>(trial)] != 0;
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
    const bool tile = section >= kFixedColumns;
    switch (role) {
    case Qt::DisplayRole:
        if (tile) return m_facts.tileColumns()[section - kFixedColumns];
        if (section == static_cast<int>(TrialColumn::Time)) return QStringLiteral("Time (%1)").arg(m_scale.unit);
        if (section == static_cast<int>(TrialColumn::Pinned)) return QString();
        return QString::fromUtf8(columnInfo(fixed(section)).title);
    case Qt::DecorationRole:
        if (section == static_cast<int>(TrialColumn::Pinned)) return m_theme.icon(QStringLiteral("pin"));
        return {};
    case Qt::ToolTipRole:
        if (tile)
            return QStringLiteral("How the loop %1 is split, outermost first")
                .arg(m_facts.tileColumns()[section - kFixedColumns]);
        return QString::fromUtf8(columnInfo(fixed(section)).tip);
    case Qt::TextAlignmentRole:
        return static_cast<int>(Qt::AlignVCenter |
                                (tile || !columnInfo(fixed(section)).number ? Qt::AlignLeft : Qt::AlignRight));
    case ColumnIdRole:
        return columnId(section);
    default:
        return {};
    }
}

} // namespace loopscope
