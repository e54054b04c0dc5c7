#pragma once
// What names mean at a place of a `.net` text: values, integers, numbers, texts.

#include "graph/function.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
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
};

} // namespace loopscope
