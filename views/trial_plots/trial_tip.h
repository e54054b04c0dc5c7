#pragma once
// All that is known about one trial, as the tooltip of its point; and the way from its sketch to it.

#include "views/session/document.h"

#include <QColor>
#include <QString>

#include <vector>

namespace loopscope {

/// Rich text. `peakGflops` <= 0: unknown.
QString trialTip(const Document &document, int trial, double peakGflops);

/// One station of a candidate's descent, the origin first.
struct DescentStep {
    int round = 0;
    int generation = 0;
    QString what;     // "sampled from sketch 2", "tile size", "crossover"
    double score = 0; // NaN unknown
};
/// Empty when nothing is known (a trial of a log).
std::vector<DescentStep> descentOf(const TrialEntry &entry);
/// "sampled from sketch 2 (0.41) → tile size, generation 1 (0.52) → ... → trial 17: 1.234 ms"
QString descentText(const TrialEntry &entry, int trial);

} // namespace loopscope
