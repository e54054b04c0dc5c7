#include "views/memory_layout/candidate_model.h"

#include "views/session/text.h"

#include <QFont>

#include <utility>

namespace loopscope {

namespace {

// What decides comes first, then what it comes from.
constexpr int kLayoutColumn = 0;
constexpr int kWordsColumn = 1;
constexpr int kCyclesColumn = 2;
constexpr int kCopyColumn = 3;
constexpr int kByColumn = 4;
constexpr int kFirstLevel = 5; // and behind the last level the accesses

} // namespace

void CandidateModel::setStudy(LayoutStudy study) {
    beginResetModel();
    m_study = std::move(study);
    endResetModel();
}

int CandidateModel::rowCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_study.candidates.size());
}

int CandidateModel::columnCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : kFirstLevel + static_cast<int>(m_study.levels.size()) + 1;
}

QString CandidateModel::cell(const LayoutCandidate &candidate, int column) const {
    if (column == kLayoutColumn) return candidate.text;
    if (column == kWordsColumn) return candidate.words;
    if (column == kCyclesColumn) return countText(candidate.cost.cycles);
    if (column == kCopyColumn) return candidate.stage.cycles > 0 ? countText(candidate.stage.cycles) : QString();
    if (column == kByColumn) {
        if (!candidate.problem.isEmpty()) return tr("not possible");
        return candidate.by == LaidOutBy::Nobody ? QString() : qt(laidOutByText(candidate.by));
    }
    const auto level = static_cast<size_t>(column - kFirstLevel);
    if (level == static_cast<size_t>(m_study.levels.size())) return countText(candidate.cost.accesses);
    return level < candidate.cost.misses.size() ? countText(candidate.cost.misses[level]) : QString();
}

QVariant CandidateModel::data(const QModelIndex &index, int role) const {
    if (!index.isValid() || static_cast<size_t>(index.row()) >= m_study.candidates.size()) return {};
    const LayoutCandidate &candidate = m_study.candidates[static_cast<size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return cell(candidate, index.column());
    case Qt::ToolTipRole:
        return candidate.problem.isEmpty() ? candidate.words : asSentence(candidate.problem);
    case Qt::TextAlignmentRole:
        return index.column() < kCyclesColumn || index.column() == kByColumn
                   ? QVariant(Qt::AlignLeft | Qt::AlignVCenter)
                   : QVariant(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::FontRole: {
        QFont bold;
        bold.setBold(index.row() == m_study.best);
        return bold;
    }
    case Qt::ForegroundRole:
        if (!candidate.problem.isEmpty()) return m_theme.color(Role::QuietText);
        return {};
    default:
        return {};
    }
}

QVariant CandidateModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || (role != Qt::DisplayRole && role != Qt::ToolTipRole)) return {};
    const bool tip = role == Qt::ToolTipRole;
    if (section == kLayoutColumn)
        return tip ? tr("Pieces of axes, slowest first: [j/16] blocks of 16, [j%16] the place in one") : tr("Layout");
    if (section == kWordsColumn) return tip ? tr("Who sees it so, where not all do") : tr("For");
    if (section == kCyclesColumn) return tip ? tr("Estimated, of all accesses of the schedule") : tr("Cycles");
    if (section == kCopyColumn) return tip ? tr("Cycles of copying it into the layout, at each call") : tr("To copy");
    if (section == kByColumn) return tip ? tr("Who brings the elements into their order") : tr("By");
    const int level = section - kFirstLevel;
    if (level == static_cast<int>(m_study.levels.size()))
        return tip ? tr("Loads and stores of the whole schedule; a vector is one where its elements are neighbours")
                   : tr("Accesses");
    return tip ? tr("Cache lines (or pages) that the accesses of the whole schedule miss")
               : tr("%1 missed").arg(m_study.levels[level]);
}

QString CandidateModel::text() const {
    QString text;
    for (int row = -1; row < rowCount(); ++row) {
        QStringList cells;
        for (int column = 0; column < columnCount(); ++column)
            cells << (row < 0 ? headerData(column, Qt::Horizontal).toString() : index(row, column).data().toString());
        text += cells.join(u'\t') + u'\n';
    }
    return text;
}

} // namespace loopscope
