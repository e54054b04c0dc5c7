#include "views/network_profile/profile_model.h"

#include "views/session/text.h"

#include <algorithm>

namespace loopscope {

namespace {
const QString kNothing = QStringLiteral("\u2013");

bool isWord(int column) {
    return column == ProfileModel::Kernel || column == ProfileModel::Nodes || column == ProfileModel::Schedule;
}

QString nodesText(const CallProfile &call, size_t most) {
    QStringList names;
    for (const std::string &source : call.sources)
        if (static_cast<size_t>(names.size()) < most) names << qt(source);
    return names.join(QStringLiteral(", ")) + (call.sources.size() > most ? QStringLiteral(" \u2026") : QString());
}
} // namespace

ProfileModel::ProfileModel(const Theme &theme, QObject *parent)
    : TableModel(
          {
              {tr("No."), tr("In the order in which they run"), Qt::AlignRight},
              {tr("Kernel"), tr("Operators that are computed together")},
              {tr("Nodes"), tr("Of the file, which it computes")},
              {tr("Time"), tr("The median over all runs"), Qt::AlignRight},
              {tr("Share"), tr("Of a whole run"), Qt::AlignRight},
              {tr("Other"), tr("What computes the same in the profile that is laid beside it"), Qt::AlignRight},
              {tr("Other/ours"), tr("Above 1 ours is faster"), Qt::AlignRight},
              {tr("Answer"), tr("Whether it is the reference's, and how much of the allowed error it has"),
               Qt::AlignRight},
              {tr("GFLOP/s"), tr("Floating-point operations a second"), Qt::AlignRight},
              {tr("Bytes"), tr("Read and written, weights among them"), Qt::AlignRight},
              {tr("Spread"), tr("Between the quartiles, of the median"), Qt::AlignRight},
              {tr("Schedule"), tr("A record of a log, or one that nobody measured")},
          },
          parent),
      m_theme(theme) {}

void ProfileModel::show(NetworkProfilePtr profile) {
    if (profile == m_profile) return;
    beginResetModel();
    m_profile = std::move(profile);
    align();
    endResetModel();
}

void ProfileModel::setOther(std::vector<TracedKernel> other) {
    beginResetModel();
    m_other = std::move(other);
    align();
    endResetModel();
}

void ProfileModel::align() {
    m_beside.assign(static_cast<size_t>(rowCount()), std::nullopt);
    if (!m_profile || m_other.empty()) return;
    for (const auto &[our, their] : alignTraces(tracedKernels(m_profile->profile), m_other))
        if (our) m_beside[*our] = their;
}

double ProfileModel::otherAlone() const {
    std::vector<bool> paired(m_other.size());
    for (const auto &beside : m_beside)
        if (beside) paired[*beside] = true;
    double seconds = 0;
    for (size_t i = 0; i < m_other.size(); ++i)
        if (!paired[i]) seconds += m_other[i].time.median;
    return seconds;
}

std::set<int> ProfileModel::rowsOf(const std::set<std::string> &sources) const {
    std::set<int> rows;
    for (int row = 0; row < rowCount(); ++row)
        if (meet(m_profile->sources[static_cast<size_t>(row)], sources)) rows.insert(row);
    return rows;
}

int ProfileModel::rowsShown() const { return !m_profile ? 0 : static_cast<int>(m_profile->profile.calls.size()); }

const CallVerdict *ProfileModel::verdict(int row) const {
    if (!m_profile->checked()) return nullptr;
    const auto &verdict = m_profile->verdicts[static_cast<size_t>(row)];
    return verdict ? &*verdict : nullptr;
}

double ProfileModel::number(int row, int column) const {
    const CallProfile &one = call(row);
    const double whole = m_profile->profile.whole.median;
    const auto beside = otherOf(row);
    switch (column) {
    case Number:
        return row;
    case Time:
        return one.time.median;
    case Share:
        return whole > 0 ? one.time.median / whole : -1;
    case Spread:
        return one.time.median > 0 ? (one.time.upper - one.time.lower) / one.time.median : -1;
    case Speed:
        return one.flops > 0 ? one.flopsPerSecond() : -1;
    case Bytes:
        return static_cast<double>(one.bytesIn + one.bytesOut + one.weightBytes);
    case Answer:
        return verdict(row) != nullptr ? verdict(row)->error / verdict(row)->tolerance : -1;
    case Other:
        return beside ? m_other[*beside].time.median : -1;
    case Ratio:
        return beside && one.time.median > 0 ? m_other[*beside].time.median / one.time.median : -1;
    default:
        return -1;
    }
}

QString ProfileModel::text(int row, int column) const {
    const double value = number(row, column);
    if (!isWord(column) && value < 0) return kNothing;
    switch (column) {
    case Number:
        return QString::number(row + 1);
    case Kernel:
        return qt(call(row).name);
    case Nodes:
        return nodesText(call(row), 3);
    case Time:
    case Other:
        return timeText(value);
    case Share:
    case Spread:
        return percentText(value);
    case Speed:
        return QString::number(value / 1e9, 'f', 1);
    case Bytes:
        return bytesText(static_cast<int64_t>(value));
    case Schedule:
        return call(row).schedule.empty() ? tr("a copy") : qt(call(row).schedule);
    case Answer:
        return verdict(row)->ok ? tr("right, %1").arg(percentText(value)) : tr("wrong");
    case Ratio:
        return QString::number(value, 'f', 2);
    default:
        return {};
    }
}

QString ProfileModel::tip(int row) const {
    const CallProfile &one = call(row);
    QStringList lines{tr("%1: %2").arg(qt(one.name), timeWithinText(one.time.median, one.time.lower, one.time.upper))};
    if (const CallVerdict *answer = verdict(row); answer != nullptr && !answer->ok) lines << qt(answer->sentence);
    for (const auto &dims : one.outputs) lines << tr("makes %1").arg(shapeText(dims));
    lines << tr("reads %1 and %2 of weights, writes %3")
                 .arg(bytesText(static_cast<int64_t>(one.bytesIn)), bytesText(static_cast<int64_t>(one.weightBytes)),
                      bytesText(static_cast<int64_t>(one.bytesOut)));
    if (const auto beside = otherOf(row))
        lines << tr("beside it: %1 (%2)").arg(qt(m_other[*beside].name), qt(m_other[*beside].op));
    lines << tr("In the file: %1").arg(nodesText(one, 6));
    return lines.join(u'\n');
}

QVariant ProfileModel::data(const QModelIndex &index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const int row = index.row(), column = index.column();
    switch (role) {
    case Qt::DisplayRole:
        return text(row, column);
    case SortRole:
        return isWord(column) ? QVariant(text(row, column)) : number(row, column);
    case RowRole:
        return row;
    case Qt::ToolTipRole:
        return tip(row);
    case Qt::TextAlignmentRole:
        return sideOf(index.column());
    case Qt::ForegroundRole:
        if (column == Answer && verdict(row) != nullptr && !verdict(row)->ok) return m_theme.color(Role::Bad);
        if (column == Ratio && number(row, Ratio) >= 0)
            return m_theme.color(number(row, Ratio) < 1 ? Role::Warning : Role::Good);
        return {};
    default:
        return {};
    }
}

} // namespace loopscope
