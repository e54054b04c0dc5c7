#include "views/trial_plots/trial_tip.h"

#include "search/ancestor.h"
#include "views/session/baseline.h"
#include "views/session/standing.h"
#include "views/session/text.h"
#include "views/trial_plots/trial_series.h"

#include <QStringList>

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

QString words(std::string_view name) { return qt(name).replace(QLatin1Char('-'), QLatin1Char(' ')); }

QString origin(const Ancestor &first) {
    if (first.trial > 0) return QStringLiteral("trial %1, measured before").arg(first.trial);
    if (first.sketch >= 0) return QStringLiteral("sampled from sketch %1").arg(first.sketch);
    return QStringLiteral("from a log");
}

QString scoreText(double score) { return QString::number(score, 'f', std::fabs(score) < 10 ? 3 : 1); }

} // namespace

std::vector<DescentStep> descentOf(const TrialEntry &entry) {
    std::vector<DescentStep> steps;
    for (const Ancestor *at = entry.ancestry.get(); at; at = at->parent.get())
        steps.push_back({at->round, at->generation, at->mutation.empty() ? origin(*at) : words(at->mutation),
                         static_cast<double>(at->score)});
    std::reverse(steps.begin(), steps.end());
    return steps;
}

QString descentText(const TrialEntry &entry, int trial) {
    const auto steps = descentOf(entry);
    if (steps.empty()) return {};
    QStringList parts;
    for (const auto &step : steps) {
        QString text = step.what;
        if (&step != &steps.front()) text += QStringLiteral(", generation %1").arg(step.generation);
        if (std::isfinite(step.score)) text += QStringLiteral(" (%1)").arg(scoreText(step.score));
        parts << text;
    }
    parts << (entry.valid() ? QStringLiteral("trial %1: %2").arg(trial + 1).arg(entry.timeWords())
                            : QStringLiteral("trial %1: %2").arg(trial + 1).arg(failureText(entry.trial.error)));
    return parts.join(QStringLiteral(" \u2192 "));
}

QString trialTip(const Document &document, int trial, double peakGflops) {
    if (trial < 0 || static_cast<size_t>(trial) >= document.trials.size()) return {};
    const auto &entry = document.trials[static_cast<size_t>(trial)];
    QString rows;
    const auto row = [&rows](const QString &name, const QString &value) {
        rows += QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td>%2</td></tr>").arg(name, value.toHtmlEscaped());
    };
    if (entry.valid()) {
        QString time = entry.timeWords();
        if (entry.later->compared.known())
            time = timeWithinText(entry.seconds(), entry.later->compared.low, entry.later->compared.high);
        else if (entry.spread() > 0)
            time += QStringLiteral(" (spread %1)").arg(percentText(entry.spread()));
        if (entry.trial.unstable) time += QStringLiteral(", unstable");
        row(QStringLiteral("Time"), time);
        if (!entry.later->machine.isEmpty()) row(QStringLiteral("Measured on"), entry.later->machine);
        if (entry.later->compared.known()) row(QStringLiteral("First time"), timeText(entry.trial.cost()));
        if (unconfirmed(document, trial))
            row(QStringLiteral("Not confirmed"),
                entry.later->compared.known() ? QStringLiteral("the first time was less than the comparison found")
                                              : QStringLiteral("not compared, and the winner is slower than this"));
        if (const QString told = againstBaselineText(document, {ScheduleRef::Kind::Trial, trial}); !told.isEmpty())
            row(QStringLiteral("Baseline"), told);
        if (entry.gflops > 0) row(QStringLiteral("Speed"), gflopsText(entry.gflops));
        if (entry.gflops > 0 && peakGflops > 0)
            row(QStringLiteral("Machine peak"), percentText(entry.gflops / peakGflops));
    } else {
        row(QStringLiteral("Failed"), failureText(entry.trial.error));
        QString reason = qt(entry.trial.reason);
        constexpr int kLongest = 160;
        if (reason.size() > kLongest) reason = reason.left(kLongest) + QStringLiteral("\u2026");
        if (!reason.isEmpty()) row(QStringLiteral("Reason"), reason);
    }
    if (entry.sketch >= 0) row(QStringLiteral("Sketch"), QString::number(entry.sketch));
    if (entry.round > 0) row(QStringLiteral("Round"), QString::number(entry.round));
    if (entry.generation >= 0) row(QStringLiteral("Generation"), QString::number(entry.generation));
    if (!entry.mutation.isEmpty())
        row(QStringLiteral("Mutation"), QString(entry.mutation).replace(QLatin1Char('-'), QLatin1Char(' ')));
    if (std::isfinite(entry.predicted)) row(QStringLiteral("Predicted score"), scoreText(entry.predicted));
    if (entry.fromLog) row(QStringLiteral("From"), QStringLiteral("a log"));
    if (!entry.later->note.isEmpty()) row(QStringLiteral("Note"), entry.later->note);
    const QString best = document.best == trial ? QStringLiteral(" \u2013 the best") : QString();
    return QStringLiteral("<b>Trial %1%2</b><table cellspacing='0'>%3</table>").arg(trial + 1).arg(best, rows);
}

} // namespace loopscope
