#pragma once
// The trials of a document as the plots need them: valid ones, failed ones, and the steps of the best so far, each with
// both of its places on the x axis. Grows trial by trial while a search runs; no trial is left out, failed ones least
// of all.

#include "views/session/document.h"

#include <array>
#include <vector>

namespace loopscope {

constexpr size_t kTrialErrors = static_cast<size_t>(TrialError::Unknown) + 1;

struct SeriesPoint {
    int trial = 0; // in Document::trials
    bool unconfirmed = false;
    double elapsed = 0; // seconds of search until it ended, summed over the runs
    double seconds = 0; // of one call
    double gflops = 0;  // 0 when nothing is counted
};

struct SeriesFailure {
    int trial = 0;
    double elapsed = 0;
    TrialError error = TrialError::Unknown;
};

class TrialSeries {
  public:
    void clear();
    /// state.trials[first] to state.trials[first + count - 1], which follow those added before.
    void append(const TaskState &state, size_t first, size_t count);

    [[nodiscard]] const std::vector<SeriesPoint> &valid() const { return m_valid; }
    [[nodiscard]] const std::vector<SeriesFailure> &failures() const { return m_failures; }
    /// Every trial that was better than all before it, as far as is known now: what took part in no comparison was no
    /// better than its winner, and an unstable time counts only while there is no other. The last one's time is that of
    /// the best.
    [[nodiscard]] const std::vector<SeriesPoint> &records() const { return m_records; }
    [[nodiscard]] const std::array<int, kTrialErrors> &failuresByKind() const { return m_kinds; }
    [[nodiscard]] int count() const { return m_count; }
    [[nodiscard]] int untimed() const { return m_untimed; }    // right, without a time
    [[nodiscard]] double elapsed() const { return m_elapsed; } // of the last trial
    /// Kinds that occurred, in the order of TrialError.
    [[nodiscard]] std::vector<TrialError> kindsSeen() const;

  private:
    std::vector<SeriesPoint> m_valid;
    std::vector<SeriesFailure> m_failures;
    std::vector<SeriesPoint> m_records;
    std::array<int, kTrialErrors> m_kinds{};
    int m_count = 0;
    int m_untimed = 0;
    bool m_stable = false; // the last record is of a stable time
    double m_elapsed = 0;
    double m_runsBefore = 0; // length of the runs before the one that the last trial belongs to
    double m_runElapsed = 0;
};

/// Why a plot of times is empty though there are trials: nothing was timed. Empty where something was.
QString whyNoTimes(const TrialSeries &series);
/// "wrong answer"
QString failureText(TrialError error);
/// "3 (2 wrong answer, 1 build timeout)"; "none"
QString failureSummary(const std::array<int, kTrialErrors> &kinds);

/// The data of the progress plot, one trial a line.
QString trialTable(const TaskState &state);

} // namespace loopscope
