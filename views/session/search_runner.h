#pragma once
// The one search, of one task at a time, measuring again and measuring by hand, which take turns: orders to the search
// thread, and what comes back from it, in batches. A search goes on with its task when another is shown.

#include "search/ancestor.h"
#include "views/session/hand_measuring.h"
#include "views/session/measured_peaks.h"
#include "views/session/pair_timing.h"
#include "views/session/remeasuring.h"
#include "views/session/search_nodes.h"
#include "views/session/search_thread.h"
#include "views/session/task_trials.h"
#include "views/session/workload_reader.h"

#include <QTimer>

namespace loopscope {

/// What the search runner works on.
struct SearchParts {
    DocumentStore &documents;
    WorkloadReader &reader;
    TaskTrials &trials;
    EditedSchedules &edits;
    MeasuredPeaks &peaks;
    Selection &selection;
    Settings &settings;
    Messages &messages;
    Jobs &jobs;
    /// Who else has the machine, as a clause; empty: nobody.
    std::function<QString()> elsewhere = [] { return QString(); };
};

class SearchRunner : public QObject {
    Q_OBJECT

  public:
    explicit SearchRunner(const SearchParts &parts);
    ~SearchRunner() override; // stops the search, keeps what was measured

    void setSetup(const SearchSetup &setup);
    /// Until SearchSetup's trials are reached; the document's trials count and are learnt from.
    void start();
    void pause();
    void resume();
    void stop();
    void continueWith(int moreTrials);
    /// The schedule is measured next in the search of the task shown, and bred from; the search says so or why not. A
    /// sentence when there is no such search. `by`: what it is called.
    QString addSchedule(const Steps &schedule, const QString &by);
    /// Why start would do nothing now; empty when it can start.
    [[nodiscard]] QString whyNotStart() const;
    /// The same for continueWith, which raises the number of trials.
    [[nodiscard]] QString whyNotContinue() const;
    [[nodiscard]] bool underWay() const { return m_search != nullptr; } // of any task
    [[nodiscard]] const TaskState *task() const;                        // shown or not; null while nothing is searched
    /// What is measured now, as a clause: "a search is running"; empty: nothing.
    [[nodiscard]] QString machineUse() const;
    /// Nobody waits for its end when the task is closed.
    void forgetTask(int taskId);
    /// The document's trials leave the window (their logs stay); the next search begins a new log.
    void forgetTrials();
    /// Checked and timed again, interleaved when there are several; samples are added to the entries and the log.
    void remeasure(const std::vector<int> &trials);
    [[nodiscard]] bool remeasuring() const { return m_again.underWay(); } // searchChanged tells when it ends
    /// Measures a schedule of the task shown, after what is measured now: one that is no trial yet becomes one, one
    /// that is is measured again. Why it cannot be measured; empty: it is, or will be.
    QString measure(const ScheduleRef &ref);
    [[nodiscard]] const HandMeasuring &byHand() const { return m_byHand; } // searchChanged tells of it, too
    /// Two schedules of the task shown, timed in turn or explained; nothing where whyNotCompare says why not.
    void comparePair(PairTiming::Asked asked, const TaskSchedule &a, const TaskSchedule &b);
    [[nodiscard]] QString whyNotCompare(const TaskSchedule &a, const TaskSchedule &b) const;
    [[nodiscard]] PairTiming &pairs() { return m_pairs; }
    [[nodiscard]] const SearchNodes &nodes() const { return m_nodes; }
    /// Instead of isolated children; for tests and benchmarks.
    void setMeasurerFactory(MeasurerFactory factory) { m_makeMeasurer = std::move(factory); }

  signals:
    void searchChanged(); // SearchStatus, setup

  private:
    void run();
    void drain();
    void take(TaskState &state, struct SearchDigest &digest, const SessionEvent &event);
    void end(TaskState &state, const SearchEnded &end);
    void measureWaiting();

    SearchParts m_parts;
    Remeasuring m_again;
    HandMeasuring m_byHand;
    PairTiming m_pairs;
    MeasurerFactory m_makeMeasurer = makeWorkerMeasurer;
    std::unique_ptr<SearchThread> m_search;
    int m_searchTask = 0;
    AncestorCopies m_ancestors; // of the trials of this search
    QString m_machine;          // they are measured on, where that is another one
    SearchNodes m_nodes;
    QTimer m_drain;
};

} // namespace loopscope
