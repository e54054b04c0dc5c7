#pragma once
// Structural identity of a state with inferred bounds: equal exactly when Ansor's text with trivial loops deleted is
// equal (names, annotations, extents, attachment, unroll limits), without printing it.

#include "schedule/loop_state.h"

#include <cstdint>
#include <functional>

namespace loopscope {

struct StateKey {
    uint64_t high = 0;
    uint64_t low = 0;
    auto operator<=>(const StateKey &) const = default;
};

StateKey stateKey(const LoopState &state);

} // namespace loopscope

template <> struct std::hash<loopscope::StateKey> {
    size_t operator()(const loopscope::StateKey &key) const noexcept { return key.low; }
};
