#include "views/trials/trial_arrangement.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace loopscope {

namespace {

/// -1, 0, 1; what has no value comes after everything else, whichever way it is sorted.
int compareNumbers(double a, double b, bool descending) {
    if (std::isnan(a) || std::isnan(b)) return static_cast<int>(std::isnan(a)) - static_cast<int>(std::isnan(b));
    if (a == b) return 0;
    return (a < b) != descending ? -1 : 1;
}

int compareTexts(QStringView a, QStringView b, bool descending) {
    if (a.isEmpty() || b.isEmpty()) return static_cast<int>(a.isEmpty()) - static_cast<int>(b.isEmpty());
    const int order = a.compare(b, Qt::CaseInsensitive);
    return descending ? -order : order;
}

} // namespace

bool TrialArrangement::setFilter(std::shared_ptr<const TrialFilter> filter) {
    if (filter == m_filter) return false;
    m_filter = std::move(filter);
    return true;
}

bool TrialArrangement::setOnly(std::optional<std::vector<int>> trials) {
    if (trials == m_only) return false;
    m_only = std::move(trials);
    return true;
}

bool TrialArrangement::setPinnedFirst(bool first) {
    if (first == m_pinnedFirst) return false;
    m_pinnedFirst = first;
    sortAnew();
    return true;
}

void TrialArrangement::sortBy(int column, Qt::SortOrder order) {
    m_column = column;
    m_order = order;
    sortAnew();
}

void TrialArrangement::restart(int columns) {
    m_only.reset();                         // numbers of the other document's trials
    if (m_column >= columns) m_column = -1; // a loop that this task has not
    sortAnew();
}

void TrialArrangement::add(int first, int count) {
    const auto old = static_cast<ptrdiff_t>(m_all.size());
    for (int t = first; t < first + count; ++t) m_all.push_back(t);
    const auto inOrder = [this](int a, int b) { return before(a, b); };
    std::sort(m_all.begin() + old, m_all.end(), inOrder);
    std::inplace_merge(m_all.begin(), m_all.begin() + old, m_all.end(), inOrder);
}

void TrialArrangement::sortAnew() {
    const auto count = static_cast<size_t>(m_facts.size());
    m_all.resize(count);
    std::iota(m_all.begin(), m_all.end(), 0);
    if (m_column >= kFixedColumns)
        for (size_t t = 0; t < count; ++t)
            m_splits.push_back(m_facts.tile(m_column - kFixedColumns, static_cast<int>(t)));
    std::sort(m_all.begin(), m_all.end(), [this](int a, int b) { return before(a, b); });
    m_splits = {};
}

bool TrialArrangement::bestChanged() {
    const bool byRank = m_column == static_cast<int>(TrialColumn::Rank);
    if (byRank) sortAnew();
    return byRank || (m_filter && m_filter->relative());
}

bool TrialArrangement::passes(int trial) const {
    if (m_only && !std::binary_search(m_only->begin(), m_only->end(), trial)) return false;
    return !m_filter || m_filter->matches(m_facts, trial);
}

bool TrialArrangement::before(int a, int b) const {
    const TrialEntry &x = m_facts.entry(a);
    const TrialEntry &y = m_facts.entry(b);
    if (m_pinnedFirst && x.pinned != y.pinned) return x.pinned;
    const bool descending = m_order == Qt::DescendingOrder;
    if (m_column < 0) return descending ? a > b : a < b;
    int order = 0;
    if (m_column >= kFixedColumns) {
        const auto splitOf = [&](int trial) {
            const auto number = static_cast<size_t>(trial);
            return number < m_splits.size() ? m_splits[number] : m_facts.tile(m_column - kFixedColumns, trial);
        };
        const std::optional<SplitStep> p = splitOf(a);
        const std::optional<SplitStep> q = splitOf(b);
        order = !p || !q ? static_cast<int>(!p) - static_cast<int>(!q)
                         : (descending ? compareFactors(&*q, &*p) : compareFactors(&*p, &*q));
        return order != 0 ? order < 0 : a < b;
    }
    switch (const auto column = static_cast<TrialColumn>(m_column)) {
    case TrialColumn::Reason:
        if (x.trial.reason.empty() || y.trial.reason.empty())
            order = static_cast<int>(x.trial.reason.empty()) - static_cast<int>(y.trial.reason.empty());
        else
            order = descending ? y.trial.reason.compare(x.trial.reason) : x.trial.reason.compare(y.trial.reason);
        break;
    case TrialColumn::Mutation:
        order = compareTexts(x.mutation, y.mutation, descending);
        break;
    case TrialColumn::Note:
        order = compareTexts(x.later->note, y.later->note, descending);
        break;
    case TrialColumn::Against: // the order of the times, whatever they are told against
        order = compareNumbers(m_facts.number(TrialColumn::Time, a), m_facts.number(TrialColumn::Time, b), descending);
        break;
    case TrialColumn::Peak: // the same order, and one that measuring the peak does not change
        order =
            compareNumbers(m_facts.number(TrialColumn::Gflops, a), m_facts.number(TrialColumn::Gflops, b), descending);
        break;
    default:
        order = compareNumbers(m_facts.number(column, a), m_facts.number(column, b), descending);
    }
    return order != 0 ? order < 0 : a < b;
}

std::vector<int> TrialArrangement::rows() const {
    // Asked in the order they lie in memory: in the order of the table every trial would be a cache miss.
    std::vector<char> passed(m_all.size());
    for (size_t t = 0; t < passed.size(); ++t) passed[t] = passes(static_cast<int>(t)) ? 1 : 0;
    std::vector<int> rows;
    rows.reserve(m_all.size());
    for (const int t : m_all)
        if (passed[static_cast<size_t>(t)] != 0) rows.push_back(t);
    return rows;
}

} // namespace loopscope
