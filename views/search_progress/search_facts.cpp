#include "views/search_progress/search_facts.h"

#include "views/session/baseline.h"
#include "views/session/measuring.h"
#include "views/session/standing.h"
#include "views/session/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace loopscope {

namespace {

struct Station {
    const char *name;
    const char *tip;
    SearchPhase phase;
};
constexpr std::array<Station, kSearchStations> kStations{{
    {"prepare", "Random inputs and the reference answer are made; every candidate is checked against it.",
     SearchPhase::PreparingReference},
    {"sketch", "The high-level structures of the schedule are derived.", SearchPhase::Sketching},
    {"sample", "Sketches get random tile sizes, parallel, vector and unroll annotations.", SearchPhase::Sampling},
    {"evolve", "The population is mutated and crossed; the cost model scores every child.", SearchPhase::Evolving},
    {"train", "The cost model learns from what was measured.", SearchPhase::Training},
    {"build", "The candidates of the round are compiled, each in a process of its own.", SearchPhase::Building},
    {"measure", "The candidates are run, checked and timed one after the other.", SearchPhase::Measuring},
    {"compare", "The fastest are timed again, interleaved, before one is declared best.",
     SearchPhase::ComparingFinalists},
}};

QString headline(const Document &document, double trialSeconds) {
    const SearchStatus &status = document.search;
    switch (status.state) {
    case SearchState::Idle:
        return document.trials.empty()
                   ? QStringLiteral("No search yet")
                   : QStringLiteral("Not searching; %1 from a log").arg(trialCountText(document.trials.size()));
    case SearchState::Pausing:
        return QStringLiteral("Pausing after what is under way");
    case SearchState::Paused:
        return QStringLiteral("Paused");
    case SearchState::Stopping:
        return QStringLiteral("Stopping");
    case SearchState::Finished:
        if (status.ended.isEmpty()) return QStringLiteral("Finished");
        if (status.ended.front().isLetter()) // "stopped after ...", and not "64 trials measured"
            return asSentence(status.ended);
        return QStringLiteral("Finished: %1").arg(status.ended);
    case SearchState::Failed:
        return QStringLiteral("Failed: %1").arg(status.ended);
    case SearchState::Running:
        break;
    }
    if (status.waiting)
        return QStringLiteral("Waiting for the results of %1")
            .arg(countedText(static_cast<size_t>(status.waiting->candidates), "trial"));
    if (status.measuring >= 0) {
        const bool checked = document.task && measuredOn(document.setup, document.task->target) == MeasureOn::Executor;
        QString text = QStringLiteral("%1 trial %2 of %3")
                           .arg(status.building ? QStringLiteral("Building")
                                : checked       ? QStringLiteral("Checking")
                                                : QStringLiteral("Measuring"))
                           .arg(status.measuring + 1)
                           .arg(status.total);
        if (trialSeconds >= 1) text += QStringLiteral(", %1").arg(durationText(trialSeconds));
        return text;
    }
    return status.phase.isEmpty() ? QStringLiteral("Starting") : asSentence(status.phase);
}

} // namespace

QString stationName(SearchStation station) { return QString::fromLatin1(kStations[static_cast<size_t>(station)].name); }
QString stationTip(SearchStation station) { return QString::fromLatin1(kStations[static_cast<size_t>(station)].tip); }

std::optional<SearchStation> stationOf(const SearchStatus &status) {
    if (!status.underWay()) return {};
    for (size_t i = 0; i < kStations.size(); ++i)
        if (status.at == kStations[i].phase) return static_cast<SearchStation>(i);
    return SearchStation::Prepare; // nothing was told yet
}

SearchFacts searchFacts(const Document &document, const TrialSeries &series, double elapsed, double trialSeconds) {
    const auto &status = document.search;
    SearchFacts facts;
    facts.headline = headline(document, trialSeconds);
    facts.problem = status.state == SearchState::Failed;
    if (status.underWay() && !status.phase.isEmpty() && asSentence(status.phase) != facts.headline)
        facts.detail = asSentence(status.phase);
    if (status.round > 0) facts.round = QString::number(status.round);
    const int trials = series.count();
    facts.trials = status.total > 0 && status.state != SearchState::Idle
                       ? QStringLiteral("%1 of %2").arg(trials).arg(std::max(trials, status.total))
                       : QString::number(trials);
    facts.failures = failureSummary(series.failuresByKind());
    const auto &all = document.trials;
    const bool hasBest = document.best >= 0 && static_cast<size_t>(document.best) < all.size();
    if (hasBest) {
        const auto &best = all[static_cast<size_t>(document.best)];
        facts.best = timeText(best.seconds());
        if (best.gflops > 0) facts.bestSpeed = gflopsText(best.gflops);
        if (best.later->compared.known())
            facts.best = timeWithinText(best.seconds(), best.later->compared.low, best.later->compared.high);
        if (const QString &machine = best.later->machine; !machine.isEmpty()) // without its driver and compiler
            facts.best += QStringLiteral(" on %1").arg(machine.section(u';', 0, 0));
        if (best.later->compared.wide() && !status.underWay())
            facts.openness =
                QStringLiteral("The comparison left %1 % open, as the machine was busy")
                    .arg(100 * (best.later->compared.high - best.later->compared.low) / best.later->compared.seconds, 0,
                         'f', 0);
        if (const auto ratio = speedUp(document))
            facts.speedUp = QStringLiteral("%1 \u00d7 naive").arg(*ratio, 0, 'f', *ratio < 9.95 ? 2 : 1);
        facts.against = againstBaselineText(document, {ScheduleRef::Kind::Trial, document.best});
    }
    if (const int first = rankedFirst(document); first >= 0)
        facts.best = QStringLiteral("none timed; trial %1 is ranked first").arg(first + 1);
    if (status.state != SearchState::Idle) {
        if (elapsed > 0 || status.underWay())
            facts.elapsed = durationText(elapsed); // unknown of a search that was restored without it
        if (status.total > 0) facts.share = std::clamp(static_cast<double>(trials) / status.total, 0., 1.);
    }
    const double limit = document.setup.options.timeLimitSeconds;
    if (const auto left = status.secondsLeft(limit))
        facts.remaining = QStringLiteral("about %1").arg(durationText(*left));
    if (status.underWay() && limit > 0) facts.budget = durationText(std::max(0., limit - elapsed));
    return facts;
}

SearchButtons searchButtons(const Document *document, const QString &whyNotSearch, const QString &whyNotContinue) {
    SearchButtons buttons;
    const QString none = QStringLiteral("No search is running.");
    if (!document) {
        buttons.whyNotPrimary = buttons.whyNotStop = buttons.whyNotContinue = buttons.whyNotEdit =
            QStringLiteral("No workload is open.");
        return buttons;
    }
    const auto state = document->search.state;
    const bool running = document->search.underWay();
    using Primary = SearchButtons::Primary;
    switch (state) {
    case SearchState::Running:
        buttons.primary = Primary::Pause;
        buttons.canPrimary = true;
        break;
    case SearchState::Paused:
        buttons.primary = Primary::Resume;
        buttons.canPrimary = true;
        break;
    case SearchState::Pausing:
        buttons.primary = Primary::Resume; // one may think better of it
        buttons.canPrimary = true;
        break;
    case SearchState::Stopping:
        buttons.primary = Primary::Pause;
        buttons.whyNotPrimary = QStringLiteral("The search is stopping.");
        break;
    case SearchState::Idle:
    case SearchState::Finished:
    case SearchState::Failed:
        buttons.canPrimary = whyNotSearch.isEmpty();
        buttons.whyNotPrimary = whyNotSearch;
        break;
    }
    buttons.canStop = running && state != SearchState::Stopping;
    buttons.whyNotStop = state == SearchState::Stopping ? QStringLiteral("The search is stopping already.") : none;
    if (running)
        buttons.whyNotContinue = QStringLiteral("The search is still running; stop it first.");
    else if (document->trials.empty())
        buttons.whyNotContinue = QStringLiteral("There are no trials to continue from; start a search.");
    else
        buttons.whyNotContinue = whyNotContinue;
    buttons.canContinue = buttons.whyNotContinue.isEmpty();
    if (running) buttons.whyNotEdit = QStringLiteral("Cannot be changed while the search runs; stop it first.");
    if (buttons.canStop) buttons.whyNotStop.clear();
    return buttons;
}

} // namespace loopscope
