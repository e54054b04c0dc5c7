#pragma once
// What sorting, filtering and drawing ask about a trial, as plain numbers computed once when it arrives: with 100 000
// trials a keystroke in the filter must not compute a median, and no row keeps a string.

#include "views/session/document.h"
#include "views/trials/tile_catalog.h"
#include "views/trials/trial_columns.h"

#include <limits>
#include <optional>
#include <vector>

namespace loopscope {

/// One unit for a whole column, so that its numbers can be compared at a glance.
struct TimeScale {
    double perSecond = 1e3;
    int decimals = 3;
    QString unit = QStringLiteral("ms");
    bool operator==(const TimeScale &) const = default;
};
TimeScale timeScaleFor(double bestSeconds);

class TrialFacts {
  public:
    /// All trials anew; null: none. The document must outlive this or the next call.
    void setDocument(const Document *document);
    void add(int first, int count);
    void change(const std::vector<int> &trials);
    void rankAnew() { m_ranked = false; }            // another is best, or a comparison ordered them
    void setPeak(double gflops) { m_peak = gflops; } // of the machine; 0 = not measured

    [[nodiscard]] const Document *document() const { return m_document; }
    [[nodiscard]] int size() const { return static_cast<int>(m_values.size()); }
    [[nodiscard]] const TrialEntry &entry(int trial) const { return m_document->trials[static_cast<size_t>(trial)]; }
    /// Of a fixed column; NaN where the trial has none. Times in seconds, shares from 0 to 1, flags 0 or 1.
    [[nodiscard]] double number(TrialColumn column, int trial) const;
    [[nodiscard]] int rank(int trial) const; // from 1; 0 when it failed
    [[nodiscard]] double seconds(int trial) const { return m_values[static_cast<size_t>(trial)].seconds; }
    [[nodiscard]] double bestSeconds() const { return m_bestSeconds; } // +inf while none is valid
    [[nodiscard]] double peak() const { return m_peak; }

    [[nodiscard]] const QStringList &tileColumns() const { return m_tiles.columns(); }
    /// None when the trial does not split that loop.
    [[nodiscard]] std::optional<SplitStep> tile(int column, int trial) const {
        return m_tiles.split(m_values[static_cast<size_t>(trial)].shape, entry(trial).trial.steps, column);
    }

  private:
    struct Values {
        double seconds = 0; // NaN when it failed
        double gflops = 0;
        int shape = -1;
    };
    void take(int trial);
    void rankAll() const;

    const Document *m_document = nullptr;
    std::vector<Values> m_values;
    TileCatalog m_tiles;
    double m_peak = 0;
    double m_bestSeconds = std::numeric_limits<double>::infinity();
    mutable std::vector<int> m_ranks;
    mutable bool m_ranked = false;
};

/// A failed trial's kind as the filter calls it: "wrong-answer".
QString failureKind(TrialError error);

} // namespace loopscope
