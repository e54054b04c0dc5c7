#pragma once
// The line people type to see fewer trials: `time < 2ms sketch:1 failed`. Words next to each other must all hold
// (`and`,
// `&&` between them are welcome), `or` or `||` joins alternatives, `-`, `!` or `not` turns what follows round, brackets
// group. A text that is no filter is answered by one sentence with the place, saying what would be legal; a filter that
// cannot let anything through here by a hint. Compiled once, evaluated natively.
//
//   time < 2ms   gflops > 100   error > 0.5   spread <= 5%   round:3   gen >= 2   trial:10..20
//   conv2d.ff:1x8x16x4   conv2d.ff:?x8x?x?   conv2d.ff[2] >= 8
//   mutation:tile-size   failure:wrong-answer   reason:"out of memory"   note:try
//   failed  valid  pinned  unstable  best  noted  remeasured  logged
//   anything else is looked for in reasons, notes and mutations

#include "views/trials/trial_columns.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace loopscope {

class TrialFacts;
struct FilterNode;

class TrialFilter {
  public:
    explicit TrialFilter(std::shared_ptr<const FilterNode> root) : m_root(std::move(root)) {}
    [[nodiscard]] bool matches(const TrialFacts &facts, int trial) const;
    /// It asks for ranks or the best, so a new trial can change what older ones answer.
    [[nodiscard]] bool relative() const;
    /// The first condition that holds for none of these trials, in a sentence with what there is instead; empty when
    /// there is no such condition. Unless nothing passes, only words that stand nowhere are told of.
    [[nodiscard]] QString hint(const TrialFacts &facts, bool nothingPasses) const;

  private:
    std::shared_ptr<const FilterNode> m_root;
};

struct FilterProblem {
    int at = 0; // characters from the start of the text
    int length = 0;
    QString sentence;
};

struct ParsedFilter {
    std::shared_ptr<const TrialFilter> filter; // null: everything passes, or there is a problem
    std::optional<FilterProblem> problem;
};

/// `tileColumns`: the loops that can be asked for, as TrialFacts names them.
ParsedFilter parseTrialFilter(const QString &text, const QStringList &tileColumns);

/// Reasons that differ in numbers only count as one: digits become '#', which `reason:` matches with any number.
std::string reasonPattern(std::string_view reason);

/// The words that mean a state of a trial, and those that name a number or a text, for completion and for sentences.
QStringList filterFlags();
QStringList filterFields();
QStringList failureKinds();
/// `name` in quotes when it would not be read as one word otherwise.
QString filterQuoted(const QString &text);

} // namespace loopscope
