#pragma once
// Numbers of stages, iterators and steps do not mix.

#include <compare>
#include <cstddef>

namespace loopscope {

template <typename Tag> struct Id {
    int value = -1;
    constexpr Id() = default;
    constexpr explicit Id(int v) : value(v) {}
    constexpr explicit Id(size_t v) : value(static_cast<int>(v)) {}
    auto operator<=>(const Id &) const = default;
    [[nodiscard]] constexpr size_t index() const { return static_cast<size_t>(value); }
};

using StageId = Id<struct StageTag>;
using IterId = Id<struct IterTag>; // position of a leaf iterator in its stage
using StepId = Id<struct StepTag>;

} // namespace loopscope
