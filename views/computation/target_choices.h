#pragma once
// Which targets there are to choose from, and changing single figures in the text of one: what a user edits is a
// target's text, whatever widgets stand around it.

#include "language/target/target.h"

#include <QString>

#include <cstdint>
#include <vector>

namespace loopscope {

struct TargetChoice {
    QString name; // "GeForce RTX 3090"; empty: a line between groups
    QString text; // "cuda -model=rtx-3090"
    QString tip;
    bool operator==(const TargetChoice &) const = default;
};

/// This machine's processor, its GPU where there is one, then GPUs by name, newest first. `current` is among them: as
/// it is written where no choice stands for it.
std::vector<TargetChoice> targetChoices(const QString &current);
/// The choice that `text` begins from: the same without figures of its own; -1 none.
int choiceOf(const std::vector<TargetChoice> &choices, const QString &text);

/// A figure of a target that may be changed.
struct TargetFigure {
    const char *attribute; // "num-multiprocessors"
    const char *name;      // "Multiprocessors"
    const char *unit;      // " GB/s"; empty none
    const char *tip;
    int64_t least;
    int64_t most;
    int64_t step;
    int64_t (*of)(const Target &target);
};
/// Those of the target's kind.
std::vector<TargetFigure> targetFigures(const Target &target);

/// The text with the attribute set; null removes it.
QString withAttribute(const QString &text, const QString &attribute, const QString &value);
[[nodiscard]] bool hasAttribute(const QString &text, const QString &attribute);
/// What is wrong with a target's text, in a sentence; empty: nothing.
QString targetProblem(const QString &text);

} // namespace loopscope
