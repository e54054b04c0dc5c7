#pragma once
// Two schedules of one task timed against each other, in turn and several times, and which of the steps in which they
// differ earns the difference. What was found is kept while their numbers mean the same schedules. Schedules of two
// tasks, which run on different machines, are not timed in turn: whyNot says so.

#include "measure/compare/explain_difference.h"
#include "views/session/document_store.h"
#include "views/session/jobs.h"
#include "views/session/messages.h"
#include "views/session/search_thread.h"
#include "views/session/selection.h"

#include <QObject>

#include <deque>
#include <optional>
#include <vector>

namespace loopscope {

/// What is known of a pair.
struct PairFacts {
    std::optional<TimedPair> timed;
    std::vector<StepPair> steps;          // aligned; of the explanation
    std::vector<ExplainedStep> explained; // empty: not explained
    QString failure;                      // why it could not be timed or explained last; empty: it could
};

class PairTiming : public QObject {
    Q_OBJECT

  public:
    struct Parts {
        DocumentStore &documents;
        Messages &messages;
        Jobs &jobs;
    };
    explicit PairTiming(const Parts &parts);

    /// Why these two cannot be timed, whatever else runs; empty: they can.
    [[nodiscard]] QString whyNot(const TaskSchedule &a, const TaskSchedule &b) const;
    /// They are of one task and have the same steps: there is nothing to time.
    [[nodiscard]] bool identical(const TaskSchedule &a, const TaskSchedule &b) const;
    /// None when nothing is known. Of a pair that was timed the other way round, the inverse.
    [[nodiscard]] std::optional<PairFacts> of(const TaskSchedule &a, const TaskSchedule &b) const;

    enum class Asked : uint8_t { Time, Explain };
    /// The machine must have nothing else to measure: SearchRunner sees to it.
    void start(Asked asked, const TaskSchedule &a, const TaskSchedule &b, const MeasurerFactory &make);
    void cancel() { m_jobs.cancel(m_job); }
    [[nodiscard]] bool underWay() const { return m_job != 0; }
    [[nodiscard]] bool underWay(const TaskSchedule &a, const TaskSchedule &b) const;
    [[nodiscard]] double progress() const; // 0 to 1
    void forget(int taskId);               // its numbers mean something else

  signals:
    void changed(); // it began, or ended

  private:
    struct Pair {
        int task = 0;
        ScheduleRef a;
        ScheduleRef b;
        PairFacts facts;
    };
    void take(const Pair &pair);
    void end();

    DocumentStore &m_documents;
    Messages &m_messages;
    Jobs &m_jobs;
    std::deque<Pair> m_known; // the newest last
    Pair m_now;               // under way
    int m_job = 0;
};

} // namespace loopscope
