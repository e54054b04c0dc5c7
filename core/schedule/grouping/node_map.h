#pragma once
// Expression nodes to values, by address: a table of its own because rewriting shared expressions does little else than
// look nodes up. Nothing is ever listed, so no order depends on addresses.

#include "language/expr/expr.h"

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace loopscope {

template <typename Value> class NodeMap {
  public:
    NodeMap() { clear(); }

    void clear() {
        m_entries.assign(kFirst, {});
        m_used = 0;
    }

    /// Null when there is none.
    [[nodiscard]] const Value *find(Expr e) const {
        const Entry &entry = m_entries[place(m_entries, e.node())];
        return entry.node == nullptr ? nullptr : &entry.value;
    }

    void set(Expr e, Value value) {
        if (2 * (m_used + 1) > m_entries.size()) grow();
        Entry &entry = m_entries[place(m_entries, e.node())];
        if (entry.node == nullptr) ++m_used;
        entry.node = e.node();
        entry.value = std::move(value);
    }

  private:
    struct Entry {
        const ExprNode *node = nullptr;
        Value value{};
    };
    static constexpr size_t kFirst = 64;

    static size_t place(const std::vector<Entry> &entries, const ExprNode *node) {
        const size_t mask = entries.size() - 1;
        auto at = static_cast<size_t>((reinterpret_cast<uintptr_t>(node) * 0x9e3779b97f4a7c15U) >> 20U) & mask;
        while (entries[at].node != nullptr && entries[at].node != node) at = (at + 1) & mask;
        return at;
    }

    void grow() {
        std::vector<Entry> larger(m_entries.size() * 4);
        for (Entry &entry : m_entries)
            if (entry.node != nullptr) larger[place(larger, entry.node)] = std::move(entry);
        m_entries = std::move(larger);
    }

    std::vector<Entry> m_entries;
    size_t m_used = 0;
};

/// Operands on the way to a new node, without asking the heap for the usual few.
class OperandList {
  public:
    void add(Expr e) {
        if (m_count < kFew) {
            m_few[m_count] = e;
        } else {
            if (m_count == kFew) m_many.assign(m_few.begin(), m_few.end());
            m_many.push_back(e);
        }
        ++m_count;
    }
    [[nodiscard]] std::span<const Expr> all() const { return {m_count > kFew ? m_many.data() : m_few.data(), m_count}; }

  private:
    static constexpr size_t kFew = 6;
    std::array<Expr, kFew> m_few;
    std::vector<Expr> m_many;
    size_t m_count = 0;
};

} // namespace loopscope
