#include "search/ancestor.h"

#include <algorithm>

namespace loopscope {

std::shared_ptr<Ancestor> makeOrigin(const Steps &steps) {
    auto origin = std::make_shared<Ancestor>();
    origin->m_between = steps;
    return origin;
}

std::shared_ptr<Ancestor> makeDescendant(std::shared_ptr<const Ancestor> parent, const Steps &before,
                                         const Steps &after) {
    auto child = std::make_shared<Ancestor>();
    child->sketch = parent->sketch;
    child->parent = std::move(parent);
    const size_t shorter = std::min(before.size(), after.size());
    while (child->m_front < shorter && before[child->m_front] == after[child->m_front]) ++child->m_front;
    while (child->m_back < shorter - child->m_front &&
           before[before.size() - 1 - child->m_back] == after[after.size() - 1 - child->m_back])
        ++child->m_back;
    child->m_between.assign(after.begin() + static_cast<ptrdiff_t>(child->m_front),
                            after.end() - static_cast<ptrdiff_t>(child->m_back));
    return child;
}

Steps Ancestor::steps() const {
    if (!parent) return m_between;
    Steps all = parent->steps();
    all.erase(all.begin() + static_cast<ptrdiff_t>(m_front), all.end() - static_cast<ptrdiff_t>(m_back));
    all.insert(all.begin() + static_cast<ptrdiff_t>(m_front), m_between.begin(), m_between.end());
    return all;
}

} // namespace loopscope
