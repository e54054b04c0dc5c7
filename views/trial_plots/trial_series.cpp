#include "views/trial_plots/trial_series.h"

#include "views/session/standing.h"
#include "views/session/text.h"

#include <QStringList>

#include <algorithm>
#include <cmath>

namespace loopscope {

void TrialSeries::clear() { *this = {}; }

namespace {

/// What a trial counts for in the curve of the best so far.
double curveSeconds(const TaskState &state, int trial) {
    const double seconds = state.trials[static_cast<size_t>(trial)].seconds();
    const bool decided = state.winner >= 0 && static_cast<size_t>(state.winner) < state.trials.size() &&
                         state.trials[static_cast<size_t>(state.winner)].valid() && trial < state.decided;
    return decided ? std::max(seconds, state.trials[static_cast<size_t>(state.winner)].seconds()) : seconds;
}

} // namespace

void TrialSeries::append(const TaskState &state, size_t first, size_t count) {
    const auto &trials = state.trials;
    // Doubling would leave as much room unused as thousands of points take.
    if (const size_t needed = m_valid.size() + count; needed > m_valid.capacity())
        m_valid.reserve(needed + needed / 16);
    for (size_t i = first; i < first + count && i < trials.size(); ++i) {
        const auto &entry = trials[i];
        // Every run of a search counts from zero; on the axis they follow each other.
        if (entry.elapsed < m_runElapsed) m_runsBefore += m_runElapsed;
        m_runElapsed = entry.elapsed;
        m_elapsed = m_runsBefore + m_runElapsed;
        ++m_count;
        const int trial = static_cast<int>(i);
        const double seconds = entry.seconds();
        if (entry.untimed()) { // it has no place in a plot of times
            ++m_untimed;
            continue;
        }
        if (!entry.valid() || !std::isfinite(seconds)) {
            const auto error = entry.valid() ? TrialError::Unknown : entry.trial.error;
            m_failures.push_back({trial, m_elapsed, error});
            ++m_kinds[std::min(static_cast<size_t>(error), kTrialErrors - 1)];
            continue;
        }
        const bool unstable = entry.trial.unstable && !entry.later->compared.known();
        SeriesPoint point{trial, unstable || unconfirmed(state, trial), m_elapsed, seconds, entry.gflops};
        m_valid.push_back(point);
        point.seconds = curveSeconds(state, trial);
        // A time that the machine's other work may have decided counts only while there is no other.
        if (unstable && m_stable) continue;
        const bool firstStable = !unstable && !m_stable;
        if (!m_records.empty() && !firstStable && point.seconds >= m_records.back().seconds) continue;
        m_stable = !unstable;
        if (state.flops() > 0 && point.seconds != seconds) point.gflops = state.flops() / point.seconds * 1e-9;
        m_records.push_back(point);
    }
}

std::vector<TrialError> TrialSeries::kindsSeen() const {
    std::vector<TrialError> kinds;
    for (size_t kind = 0; kind < kTrialErrors; ++kind)
        if (m_kinds[kind] > 0) kinds.push_back(static_cast<TrialError>(kind));
    return kinds;
}

QString whyNoTimes(const TrialSeries &series) {
    if (series.untimed() == 0 || !series.valid().empty()) return {};
    return QStringLiteral("%1 checked and right, and not timed: a time has its place here once they are measured on a "
                          "GPU.")
        .arg(countedText(static_cast<size_t>(series.untimed()), "trial is", "trials are"));
}

QString failureText(TrialError error) { return qt(trialErrorName(error)).replace(QLatin1Char('-'), QLatin1Char(' ')); }

QString failureSummary(const std::array<int, kTrialErrors> &kinds) {
    int sum = 0;
    QStringList parts;
    for (size_t kind = 0; kind < kTrialErrors; ++kind) {
        if (kinds[kind] == 0) continue;
        sum += kinds[kind];
        parts << QStringLiteral("%1 %2").arg(kinds[kind]).arg(failureText(static_cast<TrialError>(kind)));
    }
    if (sum == 0) return QStringLiteral("none");
    return QStringLiteral("%1 (%2)").arg(sum).arg(parts.join(QStringLiteral(", ")));
}

namespace {

QString quoted(QString text) {
    if (!text.contains(QLatin1Char(',')) && !text.contains(QLatin1Char('"')) && !text.contains(QLatin1Char('\n')))
        return text;
    return QLatin1Char('"') + text.replace(QLatin1String("\""), QLatin1String("\"\"")) + QLatin1Char('"');
}

QString number(double value) { return std::isfinite(value) ? QString::number(value, 'g', 9) : QString(); }

} // namespace

QString trialTable(const TaskState &state) {
    const auto &trials = state.trials;
    QString text =
        QStringLiteral("trial,round,elapsed_s,time_s,spread,gflops,best_so_far_s,predicted,sketch,generation,"
                       "mutation,error,reason\n");
    double best = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < trials.size(); ++i) {
        const auto &entry = trials[i];
        best = std::min(best, curveSeconds(state, static_cast<int>(i)));
        const QStringList cells{QString::number(i + 1),
                                QString::number(entry.round),
                                number(entry.elapsed),
                                number(entry.seconds()),
                                entry.valid() ? number(entry.spread()) : QString(),
                                entry.gflops > 0 ? number(entry.gflops) : QString(),
                                number(best),
                                number(entry.predicted),
                                entry.sketch >= 0 ? QString::number(entry.sketch) : QString(),
                                entry.generation >= 0 ? QString::number(entry.generation) : QString(),
                                entry.mutation,
                                entry.valid() ? QString() : qt(trialErrorName(entry.trial.error)),
                                quoted(qt(entry.trial.reason))};
        text += cells.join(QLatin1Char(',')) + QLatin1Char('\n');
    }
    return text;
}

} // namespace loopscope
