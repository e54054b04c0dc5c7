#include "networks/graph/net_scopes.h"

#include <algorithm>

namespace loopscope {

void NetScopes::popHidden() {
    for (const auto &[name, binding] : m_scopes.back().bindings) m_hidden.insert(name);
    pop();
}

NetBinding *NetScopes::find(const std::string &name) {
    for (size_t i = m_scopes.size(); i-- > 0;) {
        if (const auto at = m_scopes[i].bindings.find(name); at != m_scopes[i].bindings.end()) return &at->second;
        if (m_scopes[i].isolated && i > 0) i = 1;
    }
    return nullptr;
}

NetBinding *NetScopes::define(const std::string &name, NetBinding binding) {
    const auto [at, isNew] = m_scopes.back().bindings.try_emplace(name, std::move(binding));
    return isNew ? &at->second : nullptr;
}

std::vector<std::string> NetScopes::visible() const {
    std::vector<std::string> names;
    for (size_t i = m_scopes.size(); i-- > 0;) {
        for (const auto &[name, binding] : m_scopes[i].bindings) names.push_back(name);
        if (m_scopes[i].isolated && i > 0) i = 1;
    }
    std::sort(names.begin(), names.end());
    return names;
}

} // namespace loopscope
