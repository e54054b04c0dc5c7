#pragma once
// The DAGs derived from one by steps that add stages, remembered by the DAG they began with: a search replays the same
// first steps thousands of times, and each CHR, CHW or RF among them would analyse a whole DAG again. Bounded, and gone
// with its owner. Any number of threads may ask at once.

#include <cstdint>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace loopscope {

class ComputeDag;

class DerivationTable {
  public:
    using Dag = std::shared_ptr<const ComputeDag>;
    /// What tells two derivations from one DAG apart.
    struct Key {
        std::string scope; // memory scope, with those that have one
        std::vector<int64_t> numbers;
        bool operator==(const Key &) const = default;
    };

    /// The DAG made from `parent` (the owner, or a DAG out of this table) that way; the same object each time while it
    /// is remembered. `derive` is called when it is not.
    Dag get(const Dag &parent, Key key, const std::function<Dag()> &derive);

    static constexpr size_t kMaxDags = 2048;
    static constexpr size_t kMaxOps = 100'000; // in all of them; a KiB or two each

  private:
    struct Place {
        const ComputeDag *parent = nullptr;
        Key key;
        bool operator==(const Place &) const = default;
    };
    struct Hash {
        size_t operator()(const Place &place) const noexcept;
    };
    struct Entry {
        std::weak_ptr<const ComputeDag> parent; // another one may have come to lie at its address
        Dag derived;
    };
    using Entries = std::unordered_map<Place, Entry, Hash>;

    [[nodiscard]] Dag find(const Dag &parent, const Place &place) const;

    std::shared_mutex m_mutex;
    Entries m_entries;
    size_t m_ops = 0; // of all entries
};

} // namespace loopscope
