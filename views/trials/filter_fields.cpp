#include "views/trials/filter_fields.h"

#include "base/check.h"
#include "views/trials/trial_facts.h"
#include "views/trials/trial_filter.h"

#include <algorithm>
#include <array>

namespace loopscope {

namespace {

constexpr std::array<NumberField, 16> kNumbers{{
    {"time", TrialColumn::Time, FilterUnit::Time, "time < 2ms"},
    {"gflops", TrialColumn::Gflops, FilterUnit::None, "gflops > 100"},
    {"peak", TrialColumn::Peak, FilterUnit::Share, "peak > 50%"},
    {"spread", TrialColumn::Spread, FilterUnit::Share, "spread < 5%"},
    {"error", TrialColumn::Error, FilterUnit::None, "error > 0.5"},
    {"rank", TrialColumn::Rank, FilterUnit::Count, "rank <= 10"},
    {"trial", TrialColumn::Trial, FilterUnit::Count, "trial:10..20"},
    {"sketch", TrialColumn::Sketch, FilterUnit::Count, "sketch:1"},
    {"round", TrialColumn::Round, FilterUnit::Count, "round:3"},
    {"gen", TrialColumn::Generation, FilterUnit::Count, "gen >= 2"},
    {"generation", TrialColumn::Generation, FilterUnit::Count, "generation >= 2"},
    {"predicted", TrialColumn::Predicted, FilterUnit::None, "predicted > 0.5"},
    {"score", TrialColumn::Predicted, FilterUnit::None, "score > 0.5"},
    {"build", TrialColumn::Build, FilterUnit::Time, "build > 1s"},
    {"run", TrialColumn::Run, FilterUnit::Time, "run > 1s"},
    {"again", TrialColumn::Again, FilterUnit::Count, "again >= 1"},
}};
constexpr std::array<TextField, 4> kTexts{{
    {"mutation", TrialColumn::Mutation, "mutation:tile-size"},
    {"failure", TrialColumn::Failure, "failure:wrong-answer"},
    {"reason", TrialColumn::Reason, "reason:\"out of memory\""},
    {"note", TrialColumn::Note, "note:try"},
}};
constexpr std::array<FlagField, 8> kFlags{{
    {"failed", FilterFlag::Failed, "No trial failed."},
    {"valid", FilterFlag::Valid, "Every trial failed."},
    {"pinned", FilterFlag::Pinned, "No trial is pinned."},
    {"unstable", FilterFlag::Unstable, "No trial is unstable."},
    {"best", FilterFlag::Best, "No trial is the best yet."},
    {"noted", FilterFlag::Noted, "No trial has a note."},
    {"remeasured", FilterFlag::Remeasured, "No trial was measured again."},
    {"logged", FilterFlag::Logged, "No trial was read from a log."},
}};

template <typename Entries> auto findNamed(const Entries &entries, const QString &name) -> decltype(entries.data()) {
    for (const auto &entry : entries)
        if (name.compare(QLatin1String(entry.name), Qt::CaseInsensitive) == 0) return &entry;
    return nullptr;
}

template <typename Entries> QStringList namesOf(const Entries &entries) {
    QStringList names;
    for (const auto &entry : entries) names << QLatin1String(entry.name);
    return names;
}

} // namespace

const NumberField *numberField(const QString &name) { return findNamed(kNumbers, name); }
const TextField *textField(const QString &name) { return findNamed(kTexts, name); }
const FlagField *flagField(const QString &name) { return findNamed(kFlags, name); }

const NumberField &fieldOf(TrialColumn column) {
    const auto *const found = std::find_if(kNumbers.begin(), kNumbers.end(),
                                           [&](const NumberField &field) { return field.column == column; });
    LOOPSCOPE_CHECK(found != kNumbers.end(), "a column that is compared is listed");
    return *found;
}

const FlagField &fieldOf(FilterFlag flag) { return kFlags[static_cast<size_t>(flag)]; }

QStringList filterFlags() { return namesOf(kFlags); }

QStringList filterFields() {
    QStringList names = namesOf(kNumbers) + namesOf(kTexts);
    names.removeAll(QStringLiteral("generation")); // second names of gen and predicted
    names.removeAll(QStringLiteral("score"));
    return names;
}

QStringList failureKinds() {
    QStringList kinds;
    for (int error = 1; error <= static_cast<int>(TrialError::Unknown); ++error)
        kinds << failureKind(static_cast<TrialError>(error));
    return kinds;
}

} // namespace loopscope
