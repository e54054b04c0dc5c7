#pragma once
// Which trials the table shows, and in which order: what the user sorts and filters by, answered with numbers of
// trials. All trials are kept sorted, so that new ones are merged in and another filter only picks; the rows are the
// table's.

#include "views/trials/trial_facts.h"
#include "views/trials/trial_filter.h"

#include <memory>
#include <optional>
#include <vector>

namespace loopscope {

class TrialArrangement {
  public:
    /// The facts must outlive it.
    explicit TrialArrangement(const TrialFacts &facts) : m_facts(facts) {}

    // What the user asks for; false: nothing changed.
    bool setFilter(std::shared_ptr<const TrialFilter> filter); // null: all
    bool setOnly(std::optional<std::vector<int>> trials);      // ascending; the others are hidden
    bool setPinnedFirst(bool first);
    void sortBy(int column, Qt::SortOrder order); // column -1: by trial
    [[nodiscard]] int column() const { return m_column; }
    [[nodiscard]] Qt::SortOrder order() const { return m_order; }

    // What happens to the trials.
    void restart(int columns); // others from now on, with so many columns
    void add(int first, int count);
    void sortAnew();    // what they are sorted by may have changed
    bool bestChanged(); // false: the rows are what they were

    /// The trials that pass, in the order asked for.
    [[nodiscard]] std::vector<int> rows() const;
    [[nodiscard]] bool filtered() const { return m_filter != nullptr; }

  private:
    [[nodiscard]] bool passes(int trial) const;
    [[nodiscard]] bool before(int a, int b) const;

    const TrialFacts &m_facts;
    std::vector<int> m_all;                         // in the order asked for; a filter only picks from it
    std::vector<std::optional<SplitStep>> m_splits; // by trial, while a tile column is sorted
    std::shared_ptr<const TrialFilter> m_filter;
    std::optional<std::vector<int>> m_only;
    int m_column = -1;
    Qt::SortOrder m_order = Qt::AscendingOrder;
    bool m_pinnedFirst = false;
};

} // namespace loopscope
