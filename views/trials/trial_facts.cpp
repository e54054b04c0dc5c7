#include "views/trials/trial_facts.h"

#include "views/session/baseline.h"
#include "views/session/standing.h"
#include "views/session/text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

namespace loopscope {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double orNone(double value, bool known) { return known && std::isfinite(value) ? value : kNone; }

} // namespace

TimeScale timeScaleFor(double bestSeconds) {
    if (!std::isfinite(bestSeconds) || bestSeconds <= 0) return {};
    TimeScale scale;
    if (bestSeconds >= 1)
        scale = {1, 3, QStringLiteral("s")};
    else if (bestSeconds >= 1e-3)
        scale = {1e3, 3, QStringLiteral("ms")};
    else if (bestSeconds >= 1e-6)
        scale = {1e6, 2, QStringLiteral("\u00b5s")};
    else
        scale = {1e9, 1, QStringLiteral("ns")};
    const double shown = bestSeconds * scale.perSecond; // 1 to 999: four digits of the best time
    scale.decimals = shown >= 100 ? 1 : shown >= 10 ? 2 : 3;
    return scale;
}

QString failureKind(TrialError error) { return error == TrialError::None ? QString() : qt(trialErrorName(error)); }

void TrialFacts::setDocument(const Document *document) {
    m_document = document;
    std::vector<Values>().swap(m_values); // with the room they took: the trials may be gone
    std::vector<int>().swap(m_ranks);
    m_ranked = false;
    m_bestSeconds = std::numeric_limits<double>::infinity();
    m_tiles.clear(document != nullptr && document->task ? document->task->dag : nullptr);
    if (document != nullptr) add(0, static_cast<int>(document->trials.size()));
}

void TrialFacts::add(int first, int count) {
    const size_t needed = static_cast<size_t>(first) + static_cast<size_t>(count);
    if (needed > m_values.capacity()) m_values.reserve(needed + needed / 16); // doubling leaves much room unused
    m_values.resize(needed);
    for (int t = first; t < first + count; ++t) {
        m_values[static_cast<size_t>(t)].shape = m_tiles.add(entry(t).trial.steps.unpack());
        take(t);
    }
    m_ranked = false;
}

void TrialFacts::change(const std::vector<int> &trials) {
    bool timesChanged = false;
    for (const int t : trials) {
        if (t < 0 || t >= size()) continue;
        const double before = seconds(t);
        take(t);
        timesChanged = timesChanged || !(before == seconds(t));
    }
    m_ranked = false; // a comparison orders even those whose times it did not change
    if (!timesChanged) return;
    m_bestSeconds = std::numeric_limits<double>::infinity();
    for (const Values &values : m_values)
        if (values.seconds < m_bestSeconds) m_bestSeconds = values.seconds;
}

void TrialFacts::take(int trial) {
    Values &values = m_values[static_cast<size_t>(trial)];
    const TrialEntry &e = entry(trial);
    const bool valid = e.valid();
    const double flops = m_document->flops();
    values.seconds = valid ? orNone(e.seconds(), true) : kNone;
    values.gflops = flops > 0 && values.seconds > 0 ? flops / values.seconds / 1e9 : orNone(e.gflops, e.gflops > 0);
    if (values.seconds < m_bestSeconds) m_bestSeconds = values.seconds;
}

void TrialFacts::rankAll() const {
    std::vector<int> order;
    std::vector<double> standings(m_values.size());
    order.reserve(m_values.size());
    for (int t = 0; t < size(); ++t) {
        if (std::isnan(seconds(t))) continue;
        order.push_back(t);
        standings[static_cast<size_t>(t)] = standing(*m_document, t);
    }
    const auto key = [&](int t) {
        return std::make_tuple(standings[static_cast<size_t>(t)], t != m_document->best, seconds(t));
    };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key(a) < key(b); });
    m_ranks.assign(m_values.size(), 0);
    for (size_t i = 0; i < order.size(); ++i) m_ranks[static_cast<size_t>(order[i])] = static_cast<int>(i) + 1;
    m_ranked = true;
}

int TrialFacts::rank(int trial) const {
    if (!m_ranked) rankAll();
    return m_ranks[static_cast<size_t>(trial)];
}

double TrialFacts::number(TrialColumn column, int trial) const {
    const Values &values = m_values[static_cast<size_t>(trial)];
    const TrialEntry &e = entry(trial);
    switch (column) {
    case TrialColumn::Pinned:
        return e.pinned ? 1 : 0;
    case TrialColumn::Rank:
        return orNone(rank(trial), rank(trial) > 0);
    case TrialColumn::Trial:
        return trial + 1;
    case TrialColumn::Time:
        return values.seconds;
    case TrialColumn::Against: {
        const auto told = againstBaseline(*m_document, {ScheduleRef::Kind::Trial, trial});
        return told ? told->change : kNone;
    }
    case TrialColumn::Spread:
        return e.valid() && (!e.later->again.empty() || e.trial.seconds.size() > 1) ? e.spread() : kNone;
    case TrialColumn::Gflops:
        return values.gflops;
    case TrialColumn::Peak:
        return orNone(values.gflops / m_peak, m_peak > 0);
    case TrialColumn::Error:
        // Only what ran to its end was compared with the reference; a plain log is silent about it.
        if (e.trial.error == TrialError::WrongAnswer) return e.trial.maxError;
        return orNone(e.trial.maxError, e.valid() && (!e.fromLog || e.trial.maxError > 0 || e.trial.buildSeconds > 0));
    case TrialColumn::Failure:
        return orNone(static_cast<double>(e.trial.error), !e.valid());
    case TrialColumn::Sketch:
        return orNone(e.sketch, e.sketch >= 0);
    case TrialColumn::Round:
        return orNone(e.round, e.round > 0);
    case TrialColumn::Generation:
        return orNone(e.generation, e.generation >= 0);
    case TrialColumn::Predicted:
        return orNone(static_cast<double>(e.predicted), true);
    case TrialColumn::Build:
        return orNone(e.trial.buildSeconds, e.trial.buildSeconds > 0);
    case TrialColumn::Run:
        return orNone(e.trial.runSeconds, e.trial.runSeconds > 0);
    case TrialColumn::Again:
        return static_cast<double>(e.later->again.size());
    case TrialColumn::Unstable:
        return e.trial.unstable ? 1 : 0;
    case TrialColumn::Reason:
    case TrialColumn::Mutation:
    case TrialColumn::Note:
        break;
    }
    return kNone;
}

} // namespace loopscope
