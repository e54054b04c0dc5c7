#include "views/trials/trial_cells.h"

#include "views/session/baseline.h"
#include "views/session/standing.h"
#include "views/session/text.h"

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

void TrialCells::restart(int best) {
    m_best = best;
    m_remeasuring.clear();
    m_marked.clear(); // numbers of the other document's trials
    m_isMarked.clear();
    rescale();
}

std::vector<int> TrialCells::setMarked(std::vector<int> trials) {
    std::vector<int> changed = m_marked;
    changed.insert(changed.end(), trials.begin(), trials.end());
    m_marked = std::move(trials);
    m_isMarked.assign(static_cast<size_t>(m_facts.size()), 0);
    for (const int t : m_marked)
        if (t >= 0 && t < m_facts.size()) m_isMarked[static_cast<size_t>(t)] = 1;
    return changed;
}

void TrialCells::measuredAgain(const std::vector<int> &trials) {
    std::erase_if(m_remeasuring, [&](int t) { return std::find(trials.begin(), trials.end(), t) != trials.end(); });
}

bool TrialCells::isRemeasured(int trial) const {
    return std::find(m_remeasuring.begin(), m_remeasuring.end(), trial) != m_remeasuring.end();
}

bool TrialCells::isMarked(int trial) const {
    return static_cast<size_t>(trial) < m_isMarked.size() && m_isMarked[static_cast<size_t>(trial)] != 0;
}

bool TrialCells::rescale() {
    const TimeScale scale = timeScaleFor(m_facts.bestSeconds());
    if (scale == m_scale) return false;
    m_scale = scale;
    return true;
}

// --- Columns -------------------------------------------------------------------------------------------------------

QString TrialCells::id(int column) const {
    if (column < 0 || column >= kFixedColumns + static_cast<int>(m_facts.tileColumns().size())) return {};
    if (column < kFixedColumns) return QLatin1String(columnInfo(fixed(column)).id);
    return QStringLiteral("tile:") + m_facts.tileColumns()[column - kFixedColumns];
}

int TrialCells::columnOf(const QString &id) const {
    const int count = kFixedColumns + static_cast<int>(m_facts.tileColumns().size());
    for (int column = 0; column < count; ++column)
        if (this->id(column) == id) return column;
    return -1;
}

bool TrialCells::shownByDefault(int column) { return column >= kFixedColumns || columnInfo(fixed(column)).shown; }

Qt::Alignment TrialCells::alignment(int column) {
    return Qt::AlignVCenter |
           (column >= kFixedColumns || !columnInfo(fixed(column)).number ? Qt::AlignLeft : Qt::AlignRight);
}

QVariant TrialCells::header(int column, int role) const {
    const bool tile = column >= kFixedColumns;
    switch (role) {
    case Qt::DisplayRole:
        if (tile) return m_facts.tileColumns()[column - kFixedColumns];
        if (column == static_cast<int>(TrialColumn::Time)) return QStringLiteral("Time (%1)").arg(m_scale.unit);
        if (column == static_cast<int>(TrialColumn::Pinned)) return QString();
        return QString::fromUtf8(columnInfo(fixed(column)).title);
    case Qt::DecorationRole:
        if (column == static_cast<int>(TrialColumn::Pinned)) return m_theme.icon(QStringLiteral("pin"));
        return {};
    case Qt::ToolTipRole:
        if (tile)
            return QStringLiteral("How the loop %1 is split, outermost first")
                .arg(m_facts.tileColumns()[column - kFixedColumns]);
        return QString::fromUtf8(columnInfo(fixed(column)).tip);
    case Qt::TextAlignmentRole:
        return static_cast<int>(alignment(column));
    default:
        return {};
    }
}

QString TrialCells::csvHeader(int column) const {
    return column < kFixedColumns ? QString::fromUtf8(columnInfo(fixed(column)).csv)
                                  : m_facts.tileColumns()[column - kFixedColumns];
}

// --- Cells ---------------------------------------------------------------------------------------------------------

QString TrialCells::text(int trial, int column) const {
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
        return entry.later->note;
    case TrialColumn::Unstable:
        return entry.trial.unstable ? QStringLiteral("unstable") : QString();
    default:
        break;
    }
    if (fixed(column) == TrialColumn::Time && entry.untimed()) return entry.timeWords();
    const double value = m_facts.number(fixed(column), trial);
    if (std::isnan(value)) return {};
    switch (fixed(column)) {
    case TrialColumn::Rank:
        return (trial == m_best ? QStringLiteral("\u2605 ") : QString()) + decimals(value, 0);
    case TrialColumn::Time:
        return decimals(value * m_scale.perSecond, m_scale.decimals);
    case TrialColumn::Against:
        return trial == m_facts.document()->baseline ? QStringLiteral("baseline") : deltaText(value);
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

QString TrialCells::csv(int trial, int column) const {
    if (column >= kFixedColumns) {
        const std::optional<SplitStep> split = m_facts.tile(column - kFixedColumns, trial);
        return !split ? QString() : factorsText(*split).replace(QChar(0x00d7), QLatin1Char('x'));
    }
    switch (fixed(column)) {
    case TrialColumn::Failure:
    case TrialColumn::Reason:
    case TrialColumn::Mutation:
    case TrialColumn::Note:
        return text(trial, column);
    default:
        break;
    }
    const double value = m_facts.number(fixed(column), trial);
    return std::isnan(value) ? QString() : QString::number(value, 'g', 9);
}

QString TrialCells::toolTip(int trial, int column) const {
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
        if (entry.untimed()) return asSentence(qt(entry.trial.reason));
        QString said = samplesText(entry.later->again.empty() ? entry.trial.seconds : entry.later->again.back());
        if (entry.later->compared.known())
            said = QStringLiteral("%1 (%2 to %3), timed in turn with others\nFirst measured: %4")
                       .arg(timeText(entry.later->compared.seconds), timeText(entry.later->compared.low),
                            timeText(entry.later->compared.high), timeText(entry.trial.cost()));
        if (m_facts.document() != nullptr && unconfirmed(*m_facts.document(), trial))
            said += entry.later->compared.known()
                        ? QStringLiteral("\nThe first time could not be confirmed.")
                        : QStringLiteral("\nNot confirmed: it did not take part in the comparison, whose winner is "
                                         "slower than this.");
        if (!entry.later->again.empty() && !entry.later->compared.known())
            said += QStringLiteral("\nFirst measured: %1").arg(samplesText(entry.trial.seconds));
        if (!entry.later->machine.isEmpty()) said += QStringLiteral("\nMeasured on %1").arg(entry.later->machine);
        if (entry.trial.unstable) said += QStringLiteral("\nThe best samples never agreed within 3 %.");
        return said;
    }
    case TrialColumn::Against: {
        const int baseline = m_facts.document()->baseline;
        if (baseline < 0) return QStringLiteral("No trial is the baseline: choose one by its context menu.");
        const QString told = againstBaselineTip(*m_facts.document(), {ScheduleRef::Kind::Trial, trial});
        return told.isEmpty()
                   ? QStringLiteral("%1: there is no time to set against trial %2, the baseline.")
                         .arg(entry.valid() ? QStringLiteral("It was not timed") : QStringLiteral("It failed"))
                         .arg(baseline + 1)
                   : told;
    }
    case TrialColumn::Peak: {
        const Document *document = m_facts.document();
        const bool gpu = document != nullptr && document->task && document->task->target.isGpu();
        if (m_facts.peak() <= 0)
            return QStringLiteral("Not known yet: the search view's roofline measures this machine's peak.");
        return gpu ? QStringLiteral("of %1, by the figures of the GPU").arg(gflopsText(m_facts.peak()))
                   : QStringLiteral("of %1, measured on this machine").arg(gflopsText(m_facts.peak()));
    }
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
        return text(trial, column); // may be cut off in the cell
    default:
        return {};
    }
}

QVariant TrialCells::look(int trial, int column, int role) const {
    const TrialEntry &entry = m_facts.entry(trial);
    if (role == Qt::BackgroundRole) {
        if (isMarked(trial)) return QBrush(m_theme.color(::loopscope::Role::Highlight));
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
    case TrialColumn::Against: {
        constexpr double kTold = 0.02; // less is what the machine makes of one kernel
        const double change = m_facts.number(TrialColumn::Against, trial);
        if (!(std::fabs(change) > kTold)) return {};
        return QBrush(m_theme.color(change < 0 ? ::loopscope::Role::Good : ::loopscope::Role::Bad));
    }
    case TrialColumn::Error:
        return entry.trial.error == TrialError::WrongAnswer ? QBrush(m_theme.color(::loopscope::Role::Bad))
                                                            : QVariant();
    case TrialColumn::Time:
        if (isRemeasured(trial)) return QBrush(m_theme.color(::loopscope::Role::Accent));
        return entry.trial.unstable || doubtful ? QBrush(m_theme.color(::loopscope::Role::Warning)) : QVariant();
    default:
        return {};
    }
}

} // namespace loopscope
