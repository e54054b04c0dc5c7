#include "views/memory_layout/candidate_model.h"

#include "views/session/text.h"

#include <QFont>

#include <utility>

namespace loopscope {

namespace {

// Before and behind the levels of the memory.
constexpr int kLayoutColumn = 0;
constexpr int kWordsColumn = 1;
constexpr int kFirstLevel = 2;
constexpr int kBehindLevels = 4; // accesses, cycles, bringing, by whom

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
    return parent.isValid() ? 0 : kFirstLevel + static_cast<int>(m_study.levels.size()) + kBehindLevels;
}

QString CandidateModel::cell(const LayoutCandidate &candidate, int column) const {
    if (column == kLayoutColumn) return candidate.text;
    if (column == kWordsColumn) return candidate.words;
    const int level = column - kFirstLevel;
    const int levels = static_cast<int>(m_study.levels.size());
    if (level < levels) {
        const auto at = static_cast<size_t>(level);
        return at < candidate.cost.misses.size() ? countText(candidate.cost.misses[at]) : QString();
    }
    switch (level - levels) {
    case 0:
        return countText(candidate.cost.accesses);
    case 1:
        return countText(candidate.cost.cycles);
    case 2:
        return candidate.stage.cycles > 0 ? countText(candidate.stage.cycles) : QString();
    default:
        if (!candidate.problem.isEmpty()) return tr("not possible");
        return candidate.by == LaidOutBy::Nobody ? QString() : qt(laidOutByText(candidate.by));
    }
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
        return index.column() < kFirstLevel || index.column() == columnCount() - 1
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
    const int level = section - kFirstLevel;
    const int levels = static_cast<int>(m_study.levels.size());
    if (level < levels)
        return tip ? tr("Cache lines (or pages) that the accesses of the whole schedule miss")
                   : tr("%1 misses").arg(m_study.levels[level]);
    switch (level - levels) {
    case 0:
        return tip ? tr("Loads and stores of the whole schedule; a vector is one where its elements are neighbours")
                   : tr("Accesses");
    case 1:
        return tip ? tr("Estimated, of all accesses of the schedule") : tr("Cycles");
    case 2:
        return tip ? tr("Cycles of copying it into the layout, at each call") : tr("To copy");
    default:
        return tip ? tr("Who brings the elements into their order") : tr("By");
    }
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
