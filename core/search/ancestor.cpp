#include "search/ancestor.h"

#include <algorithm>
#include <iterator>
#include <span>

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
    size_t front = 0;
    size_t back = 0;
    while (front < shorter && before[front] == after[front]) ++front;
    while (back < shorter - front && before[before.size() - 1 - back] == after[after.size() - 1 - back]) ++back;
    child->m_front = static_cast<uint32_t>(front);
    child->m_back = static_cast<uint32_t>(back);
    child->m_between = PackedSteps(std::span(after).subspan(front, after.size() - back - front));
    return child;
}

Steps Ancestor::steps() const {
    Steps between = m_between.unpack();
    if (!parent) return between;
    Steps all = parent->steps();
    all.erase(all.begin() + m_front, all.end() - m_back);
    all.insert(all.begin() + m_front, std::make_move_iterator(between.begin()), std::make_move_iterator(between.end()));
    return all;
}

std::shared_ptr<const Ancestor> AncestorCopies::of(const std::shared_ptr<const Ancestor> &original,
                                                   StepSkeletons &skeletons) {
    if (!original) return nullptr;
    if (const auto known = m_copies.find(original.get()); known != m_copies.end()) return known->second.copy;
    const bool measured = !original->parent && original->trial > 0;
    if (measured)
        if (auto known = m_measured[original->trial].lock()) return known;
    auto copy = std::make_shared<Ancestor>(*original);
    copy->m_between = skeletons.keep(original->m_between);
    copy->parent = of(original->parent, skeletons);
    copy->parent2 = of(original->parent2, skeletons);
    if (measured)
        m_measured[original->trial] = copy;
    else
        m_copies[original.get()] = {original, copy};
    return copy;
}

} // namespace loopscope
