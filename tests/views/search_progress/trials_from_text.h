#pragma once
// Trials written as text, one a word: `2.5` ran in 2.5 ms, `!wrong-answer` failed so, `?` is right and was not timed.
// `@12` after it: ended after 12 s of search; `#3`: round 3; `~0.8`: predicted score.

#include "views/session/document.h"
#include "views/session/text.h"

#include <QRegularExpression>
#include <QStringList>

#include <stdexcept>

namespace loopscope {

inline TrialError errorFromName(const QString &name) {
    for (int kind = 1; kind <= static_cast<int>(TrialError::Unknown); ++kind)
        if (qt(trialErrorName(static_cast<TrialError>(kind))) == name) return static_cast<TrialError>(kind);
    throw std::invalid_argument(name.toStdString());
}

inline std::vector<TrialEntry> trialsFromText(const QString &text, double flops = 1e6) {
    std::vector<TrialEntry> trials;
    static const QRegularExpression kWord(
        QStringLiteral("^(?:([0-9.]+)|!([a-z-]+)|\\?)(?:@([0-9.]+))?(?:#([0-9]+))?(?:~([0-9.]+))?$"));
    for (const QString &word : text.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        const auto match = kWord.match(word);
        if (!match.hasMatch()) throw std::invalid_argument(word.toStdString());
        TrialEntry entry;
        if (!match.captured(2).isEmpty()) {
            entry.trial.error = errorFromName(match.captured(2));
            entry.trial.reason = "because, of \"that\"";
        } else if (match.captured(1).isEmpty()) {
            entry.trial.reason = "checked by the executor, not timed: 4 of 4 blocks ran";
        } else {
            entry.trial.seconds = {match.captured(1).toDouble() * 1e-3};
            entry.gflops = flops / entry.trial.seconds[0] * 1e-9;
        }
        entry.elapsed = match.captured(3).toDouble();
        entry.round = match.captured(4).toInt();
        if (!match.captured(5).isEmpty()) entry.predicted = match.captured(5).toFloat();
        trials.push_back(std::move(entry));
    }
    return trials;
}

} // namespace loopscope
