#pragma once
// What a loop is told by: its stage, its place among the iterators of the stage, and its kind. Schedules and loop
// programs both name loops so; names are for people. Numbers of stages, iterators and steps do not mix.

#include <compare>
#include <cstddef>
#include <cstdint>

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

/// Of what axes an iterator runs over: both for Mixed.
enum class IterKind : uint8_t { Spatial, Reduction, Mixed, Special };

} // namespace loopscope
