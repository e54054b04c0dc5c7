#include "language/dag/derivation_table.h"

#include "language/dag/compute_dag.h"

#include <mutex>

namespace loopscope {

size_t DerivationTable::Hash::operator()(const Place &place) const noexcept {
    constexpr size_t golden = 0x9e3779b97f4a7c15U;
    size_t hash = std::hash<std::string>()(place.key.scope) ^ std::hash<const void *>()(place.parent);
    for (const int64_t number : place.key.numbers)
        hash ^= static_cast<size_t>(number) + golden + (hash << 6U) + (hash >> 2U);
    return hash;
}

DerivationTable::Dag DerivationTable::find(const Dag &parent, const Place &place) const {
    const auto found = m_entries.find(place);
    if (found == m_entries.end() || found->second.parent.lock() != parent) return nullptr;
    return found->second.derived;
}

DerivationTable::Dag DerivationTable::get(const Dag &parent, Key key, const std::function<Dag()> &derive) {
    Place place{parent.get(), std::move(key)};
    {
        const std::shared_lock lock(m_mutex);
        if (Dag known = find(parent, place)) return known;
    }
    Dag derived = derive(); // twice by two threads at worst; the first one kept
    Entries forgotten;      // freed when the lock is
    const std::unique_lock lock(m_mutex);
    if (Dag known = find(parent, place)) return known;
    // A chain of hundreds of cached stages has as many DAGs as stages, each with all of them.
    if (m_entries.size() >= kMaxDags || m_ops + derived->size() > kMaxOps) {
        std::swap(forgotten, m_entries);
        m_ops = 0;
    }
    m_ops += derived->size();
    m_entries.insert_or_assign(std::move(place), Entry{parent, derived});
    return derived;
}

} // namespace loopscope
