#include "schedule/derived_dags.h"

#include "schedule/derive_dag.h"

#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace loopscope {

namespace {

/// What distinguishes two derivations from one DAG, as raw bytes.
class DerivationKey {
  public:
    explicit DerivationKey(char kind) { m_bytes += kind; }
    void add(int64_t value) { m_bytes.append(reinterpret_cast<const char *>(&value), sizeof value); }
    void add(const std::string &text) {
        add(static_cast<int64_t>(text.size()));
        m_bytes += text;
    }
    [[nodiscard]] const std::string &bytes() const { return m_bytes; }

  private:
    std::string m_bytes;
};

class DerivedDags {
  public:
    template <typename Derive> DagPtr get(const DagPtr &parent, const DerivationKey &key, Derive &&derive) {
        {
            const std::shared_lock lock(m_mutex);
            if (DagPtr known = find(parent, key)) return known;
        }
        DagPtr derived = derive(); // twice by two threads at worst; the first one kept
        const std::unique_lock lock(m_mutex);
        if (DagPtr known = find(parent, key)) return known;
        forgetDead();
        Family &family = m_families[parent.get()];
        if (family.parent.lock() != parent) family = {parent, {}};
        if (family.children.size() >= maxChildren) family.children.clear();
        family.children.emplace(key.bytes(), derived);
        // A chain of hundreds of cached stages has as many DAGs as stages, each with all of them.
        m_opsKept += derived->size();
        if (m_opsKept > maxOps) {
            m_families.clear();
            m_opsKept = 0;
        }
        return derived;
    }

  private:
    static constexpr size_t maxChildren = 2048;
    static constexpr size_t maxOps = 100'000; // a KiB or two each
    struct Family {
        std::weak_ptr<const ComputeDag> parent;
        std::unordered_map<std::string, DagPtr> children;
    };

    DagPtr find(const DagPtr &parent, const DerivationKey &key) const {
        const auto family = m_families.find(parent.get());
        if (family == m_families.end() || family->second.parent.lock() != parent) return nullptr;
        const auto child = family->second.children.find(key.bytes());
        return child == family->second.children.end() ? nullptr : child->second;
    }

    void forgetDead() {
        // Dropping a family may end the last use of its children, which are parents of other families.
        bool found = true;
        while (found) {
            found = false;
            for (auto it = m_families.begin(); it != m_families.end();) {
                const bool dead = it->second.parent.expired();
                found = found || dead;
                it = dead ? m_families.erase(it) : std::next(it);
            }
        }
    }

    std::shared_mutex m_mutex;
    std::unordered_map<const ComputeDag *, Family> m_families;
    size_t m_opsKept = 0; // of all DAGs added since the last time everything was dropped
};

DerivedDags &derivedDags() {
    static DerivedDags dags;
    return dags;
}

} // namespace

DagPtr cacheReadDag(const DagPtr &dag, StageId stage, const std::string &scope, const std::vector<StageId> &readers) {
    DerivationKey key('r');
    key.add(stage.value);
    key.add(scope);
    for (const StageId reader : readers) key.add(reader.value);
    return derivedDags().get(dag, key, [&] { return deriveCacheRead(*dag, stage.index(), scope, readers); });
}

DagPtr cacheWriteDag(const DagPtr &dag, StageId stage, const std::string &scope) {
    DerivationKey key('w');
    key.add(stage.value);
    key.add(scope);
    return derivedDags().get(dag, key, [&] { return deriveCacheWrite(*dag, stage.index(), scope); });
}

DagPtr rfactorDag(const DagPtr &dag, StageId id, const Stage &stage, IterId leaf, int factorIter) {
    DerivationKey key('f');
    key.add(id.value);
    key.add(factorIter);
    key.add(stage.iters[leaf.index()].node);
    for (const Iter &iter : stage.iters) key.add(iter.node);
    for (const IterRelation &r : stage.relations) {
        key.add(r.kind == IterRelation::Kind::Fuse ? -1 : r.length);
        key.add(r.byFactor ? 1 : 0);
        key.add(r.parent);
        key.add(r.outer);
        key.add(r.inner);
    }
    return derivedDags().get(dag, key, [&] { return deriveRfactor(*dag, id.index(), stage, leaf, factorIter); });
}

} // namespace loopscope
