#pragma once
// The stages of a loop state, shared between its copies until one of them changes a stage. Who may change a stage in
// place is noted, not asked of a reference count, which says nothing about whether other threads have read it for the
// last time: a list owns what it made itself, and once it is copied neither the copy nor the original owns anything.

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace loopscope {

template <typename T> class StageList {
  public:
    using Pointer = std::shared_ptr<const T>;

    StageList() = default;
    /// Any number of threads may copy a list at once.
    StageList(const StageList &other) : m_stages(other.m_stages), m_shared(true) { other.noteCopy(); }
    StageList(StageList &&other) noexcept
        : m_stages(std::move(other.m_stages)), m_owned(std::move(other.m_owned)), m_shared(other.shared()) {}
    StageList &operator=(const StageList &other) {
        if (this == &other) return *this;
        m_stages = other.m_stages;
        other.noteCopy();
        noteCopy();
        return *this;
    }
    StageList &operator=(StageList &&other) noexcept {
        m_stages = std::move(other.m_stages);
        m_owned = std::move(other.m_owned);
        m_shared.store(other.shared(), std::memory_order_relaxed);
        return *this;
    }
    ~StageList() = default;

    void reserve(size_t count) {
        m_stages.reserve(count);
        m_owned.reserve(count);
    }
    [[nodiscard]] size_t size() const { return m_stages.size(); }
    [[nodiscard]] const T &operator[](size_t at) const { return *m_stages[at]; }

    void insert(size_t at, T stage) {
        forgetShared();
        m_stages.insert(m_stages.begin() + static_cast<std::ptrdiff_t>(at), std::make_shared<T>(std::move(stage)));
        m_owned.insert(m_owned.begin() + static_cast<std::ptrdiff_t>(at), 1);
    }
    /// A stage to change; copied first unless this list owns it.
    [[nodiscard]] T &edit(size_t at) {
        forgetShared();
        if (m_owned[at] == 0) {
            m_stages[at] = std::make_shared<T>(*m_stages[at]);
            m_owned[at] = 1;
        }
        return const_cast<T &>(*m_stages[at]); // made as a T that may be changed, by this list
    }

  private:
    [[nodiscard]] bool shared() const { return m_shared.load(std::memory_order_relaxed); }
    /// Copying before changing is the caller's order to keep, so that the flag needs none of its own.
    void noteCopy() const {
        if (!shared()) m_shared.store(true, std::memory_order_relaxed);
    }
    void forgetShared() {
        if (!shared()) return;
        m_owned.assign(m_stages.size(), 0);
        m_shared.store(false, std::memory_order_relaxed);
    }

    std::vector<Pointer> m_stages;
    std::vector<uint8_t> m_owned;               // made by this list since it was last copied; out of date while shared
    mutable std::atomic<bool> m_shared = false; // copied since
};

} // namespace loopscope
