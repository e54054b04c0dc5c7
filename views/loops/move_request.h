#pragma once
// What somebody types over a loop, understood: a line of a script, or a part of one that goes without saying what it is
// about ("split 8", "vec", "unroll 64", "at C j.0"). What does not apply is answered with the rule it breaks and, as
// lines that do apply, what would be legal.

#include "schedule/loop_state.h"
#include "views/loops/move_text.h"

#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

namespace loopscope {

struct MoveRequest {
    QString line;            // of a script, as it was understood; empty: it means nothing yet
    std::vector<Step> steps; // one that applies; none: see `problem`
    QString problem;         // why it does not, a sentence
    bool refused = false;    // by a rule of schedules: it is a whole line
    QStringList legal = {};  // lines that would apply instead; a line to put in front and the request, joined by "; "
    std::vector<std::vector<Step>> legalSteps = {}; // of these
};

/// `before`: where it is to be applied. `about`: what it is about unless it says so itself.
MoveRequest understandRequest(const LoopState &before, const QString &typed, const std::optional<MoveTarget> &about);

/// What would have to be typed for each primitive of a loop, or of a stage: to learn why it is not offered.
QStringList requestsOf(const LoopState &state, const MoveTarget &target, bool gpu);

} // namespace loopscope
