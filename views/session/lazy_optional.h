#pragma once
// What nearly all of thousands of things lack: it takes the room of a pointer until it differs from a fresh T.

#include <memory>
#include <utility>

namespace loopscope {

template <typename T> class LazyOptional {
  public:
    LazyOptional() = default;
    LazyOptional(const LazyOptional &other) : m_value(other.m_value ? std::make_unique<T>(*other.m_value) : nullptr) {}
    LazyOptional(LazyOptional &&) noexcept = default;
    LazyOptional &operator=(LazyOptional other) noexcept {
        std::swap(m_value, other.m_value);
        return *this;
    }
    ~LazyOptional() = default;

    [[nodiscard]] const T &operator*() const { return m_value ? *m_value : none(); }
    [[nodiscard]] const T *operator->() const { return &**this; }
    /// Takes the room from now on.
    [[nodiscard]] T &change() {
        if (!m_value) m_value = std::make_unique<T>();
        return *m_value;
    }

  private:
    static const T &none() {
        static const T fresh{};
        return fresh;
    }
    std::unique_ptr<T> m_value;
};

} // namespace loopscope
