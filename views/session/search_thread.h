#pragma once
// The one thread a search runs on. Core calls a plain observer there; this turns the calls into a queue of values that
// the session empties on the UI thread. Every trial is in the log file before anybody hears of it.

#include "measure/timing/machine_peaks.h"
#include "records/record/resumed_trials.h"
#include "search/search_control.h"
#include "search/search_observer.h"
#include "search/tuner.h"
#include "views/session/document.h"
#include "views/session/event_queue.h"

#include <QString>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace loopscope {

class Fleet;

/// The naive schedule's time, measured before the search begins.
struct NaiveMeasured {
    double seconds = -1; // < 0: it failed
    std::string reason;
};
/// The machine's peaks are measured before the first search on it: what its kernels are compared with.
struct PeaksBegun {};
struct PeaksMeasured {
    std::shared_ptr<const MachinePeaks> peaks; // null: it could not be done
    QString reason;
};
struct SearchEnded {
    std::string problem; // why it could not go on; empty when it ran to its end or was stopped
    bool cancelled = false;
};
/// The log was not as it was left; it is whole again.
struct LogRewritten {
    std::string sentence;
};
/// Trials that follow were measured on another machine.
struct MachineTold {
    std::string machine;
};
/// Somebody has to bring results; trials tell that they came.
struct BundleAwaited {
    BundleWait wait;
};
/// Something is to be said of nodes: that they are waited for, that one was lost.
struct FleetTold {
    std::string sentence;
};
/// Nodes that measure for this search. Empty: none any more.
struct FleetOpened {
    std::shared_ptr<Fleet> fleet;
};
/// A trial of a round that an earlier search wrote.
struct TrialBrought {
    Trial trial;
    int record = -1; // in the log
};
using SessionEvent = std::variant<SearchEvent, NaiveMeasured, PeaksBegun, PeaksMeasured, LogRewritten, MachineTold,
                                  BundleAwaited, FleetTold, FleetOpened, TrialBrought, SearchEnded>;

/// What candidates are measured through; tests and benchmarks script the answers.
using MeasurerFactory = std::function<std::unique_ptr<Measurer>(const Task &, const MeasureOptions &)>;

/// measureMachinePeaks, or what a test puts in its place.
using PeaksMeasurer = std::function<Outcome<MachinePeaks>(const Target &, const std::atomic<bool> *cancel)>;

struct SearchOrder {
    QString name; // of the task, for people
    std::shared_ptr<const Task> task;
    SearchSetup setup; // options.trials counts the resumed ones
    ResumedTrials resumed;
    QString logPath;
    std::vector<Steps> startFrom; // schedules measured first and bred from
    int64_t weightBytes = 0;      // SamplingOptions::weightBytes
    double naiveSeconds = -1;     // < 0: the naive schedule is measured first
    PeaksMeasurer measurePeaks;   // empty: they are known
    MeasurerFactory makeMeasurer = makeWorkerMeasurer;
};

class SearchThread {
  public:
    explicit SearchThread(SearchOrder order);
    ~SearchThread(); // cancels and waits
    SearchThread(const SearchThread &) = delete;
    SearchThread &operator=(const SearchThread &) = delete;

    [[nodiscard]] SearchControl &control() { return m_control; }
    [[nodiscard]] const SearchOrder &order() const { return m_order; }
    /// Events since the last call, at most `most`.
    std::vector<SessionEvent> take(size_t most) { return m_events.take(most); }
    [[nodiscard]] bool ended() const { return m_ended; }
    /// What a trial's number in the log file is more than its number in the search.
    [[nodiscard]] int recordOffset() const { return m_recordOffset; }

  private:
    void run();
    std::unique_ptr<Measurer> makeMeasurer(); // null: cancelled
    void tellMachine(const Measurer &measurer);
    bool measurePeaks(); // false: cancelled
    void search();       // to its end, or until it is cancelled
    void writeAgain(class TrialLog &log);
    void tell(SessionEvent event) { m_events.put(std::move(event)); }

    SearchOrder m_order;
    std::shared_ptr<Fleet> m_fleet;
    std::string m_machine; // told last
    SearchControl m_control;
    EventQueue<SessionEvent> m_events;
    std::atomic<int> m_recordOffset{0};
    std::atomic<bool> m_ended{false};
    std::thread m_thread;
};

} // namespace loopscope
