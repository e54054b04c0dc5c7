#pragma once
// What the status strip says about a search, worked out from the document: where it is in its round, how long it will
// take, what it has found. Pure; the clock is passed in by SearchStatus.

#include "views/trial_plots/trial_series.h"

#include <QString>

#include <optional>

namespace loopscope {

/// The stations of a search, as the phase track shows them.
enum class SearchStation : uint8_t { Prepare, Sketch, Sample, Evolve, Train, Build, Measure, Compare };
constexpr int kSearchStations = 8;
QString stationName(SearchStation station); // "prepare"
QString stationTip(SearchStation station);  // what happens there, one sentence
/// Where the search is; none when it is not under way.
std::optional<SearchStation> stationOf(const SearchStatus &status);

struct SearchFacts {
    QString headline;  // "Measuring trial 17 of 64", "Finished: all 64 trials measured"
    QString detail;    // the phase in words; empty when the headline says it all
    QString round;     // "3"
    QString trials;    // "17 of 64"
    QString failures;  // "3 (2 wrong answer, 1 build timeout)"
    QString best;      // "1.234 ms"; with its interval once it was compared: "1.234 ms (1.230 ms to 1.241 ms)"
    QString openness;  // "The comparison left 24 % open, as the machine was busy"; empty when its interval is narrow
    QString bestSpeed; // "143.7 GFLOP/s", empty when nothing is counted
    QString speedUp;   // "12.4 × naive"; empty while the two were not timed in turn
    QString against;   // "−12.3 % against trial 5", of the best; empty without a baseline
    QString elapsed;   // "1 min 12 s"
    QString remaining; // "about 3 min 10 s"; empty when unknown
    QString budget;    // of the time limit: "8 min 48 s"; empty without one
    double share = -1; // of the trials; < 0 unknown
    bool problem = false;
};

/// `elapsed`: of this run by now, which may be later than the last news; `trialSeconds`: how long the trial under way
/// has been, < 0 unknown.
SearchFacts searchFacts(const Document &document, const TrialSeries &series, double elapsed, double trialSeconds);

/// What can be done now, and why not.
struct SearchButtons {
    enum class Primary : uint8_t { Start, Pause, Resume };
    Primary primary = Primary::Start;
    bool canPrimary = false;
    QString whyNotPrimary;
    bool canStop = false;
    QString whyNotStop;
    bool canContinue = false;
    QString whyNotContinue;
    QString whyNotEdit; // why the form is locked; empty when it is not
};
/// The reasons come from the session; empty when a search may start, or go on with more trials.
SearchButtons searchButtons(const Document *document, const QString &whyNotSearch, const QString &whyNotContinue);

} // namespace loopscope
