#pragma once
// What the cells and the header of the table of trials say and how they look, column by column. Strings are made when a
// cell is drawn and forgotten at once.

#include "views/settings/theme.h"
#include "views/trials/trial_facts.h"

#include <QVariant>

#include <utility>
#include <vector>

namespace loopscope {

class TrialCells {
  public:
    /// Both must outlive it.
    TrialCells(const TrialFacts &facts, const Theme &theme) : m_facts(facts), m_theme(theme) {}

    // What makes a trial stand out, besides what it is.
    void restart(int best);                                         // the trials are others
    int setBest(int trial) { return std::exchange(m_best, trial); } // returns the one before
    std::vector<int> setMarked(std::vector<int> trials);            // returns those it concerns
    void setRemeasuring(std::vector<int> trials) { m_remeasuring = std::move(trials); }
    void measuredAgain(const std::vector<int> &trials);
    [[nodiscard]] const std::vector<int> &remeasuring() const { return m_remeasuring; }
    [[nodiscard]] bool isRemeasured(int trial) const;
    [[nodiscard]] bool isMarked(int trial) const;
    bool rescale(); // to the best time; false: its unit stays

    [[nodiscard]] QString id(int column) const;          // "time", "tile:conv2d.ff"; empty: no such column
    [[nodiscard]] int columnOf(const QString &id) const; // -1 unknown
    [[nodiscard]] static bool shownByDefault(int column);
    [[nodiscard]] QVariant header(int column, int role) const;
    [[nodiscard]] QString csvHeader(int column) const;

    /// As shown, or (csv) with full precision in base units.
    [[nodiscard]] QString text(int trial, int column) const;
    [[nodiscard]] QString csv(int trial, int column) const;
    [[nodiscard]] QString toolTip(int trial, int column) const;
    [[nodiscard]] QVariant look(int trial, int column, int role) const;
    [[nodiscard]] static Qt::Alignment alignment(int column);

  private:
    const TrialFacts &m_facts;
    const Theme &m_theme;
    int m_best = -1;
    TimeScale m_scale;
    std::vector<int> m_marked;    // selected anywhere
    std::vector<char> m_isMarked; // by trial
    std::vector<int> m_remeasuring;
};

} // namespace loopscope
