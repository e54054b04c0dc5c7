#pragma once
// What names mean at a place of a `.net` text: values, integers, numbers, texts.

#include "networks/graph/function.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace loopscope {

/// An invalid ValueId is an input that is left out.
using NetMeaning = std::variant<ValueId, int64_t, double, std::string>;

struct NetBinding {
    NetMeaning meaning;
    bool variable = false; // may get another meaning
    size_t offset = 0;     // where it was defined
};

class NetScopes {
  public:
    NetScopes() : m_scopes(1) {}

    /// From an isolated scope only the outermost one is seen beyond it.
    void push(bool isolated) { m_scopes.push_back({{}, isolated}); }
    void pop() { m_scopes.pop_back(); }
    /// Of a block: its names are remembered, for whoever asks why one means nothing.
    void popHidden();
    [[nodiscard]] bool isHidden(const std::string &name) const { return m_hidden.contains(name); }
    /// Of one function.
    void forgetHidden() { m_hidden.clear(); }

    /// The nearest one; null when the name means nothing.
    [[nodiscard]] NetBinding *find(const std::string &name);
    /// In the innermost scope; null when it has the name already.
    NetBinding *define(const std::string &name, NetBinding binding);
    /// What the innermost scope defines.
    [[nodiscard]] const std::unordered_map<std::string, NetBinding> &innermost() const {
        return m_scopes.back().bindings;
    }
    /// Names that are seen, in order, for suggestions.
    [[nodiscard]] std::vector<std::string> visible() const;

  private:
    struct Scope {
        std::unordered_map<std::string, NetBinding> bindings;
        bool isolated = false;
    };
    std::vector<Scope> m_scopes;
    std::unordered_set<std::string> m_hidden;
};

} // namespace loopscope
