#pragma once
// Where a candidate comes from: a chain of ancestors from its last mutation back to what was drawn from a sketch or
// measured before. Every candidate of every generation gets one, so an ancestor is small: its steps are kept as the
// difference to its parent's.

#include "schedule/packed_steps.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <unordered_map>

namespace loopscope {

struct Ancestor {
    int round = 0;
    int generation = 0;
    std::string_view mutation; // "tile-size", ..., "crossover"; empty: an origin, which has no parents
    int sketch = -1;           // the chain began with; -1 = unknown, from a log
    int trial = 0;             // an origin measured before: the number of its trial; 0 = drawn from the sketch
    /// Predicted when it was made; NaN until then.
    float score = std::numeric_limits<float>::quiet_NaN();
    std::shared_ptr<const Ancestor> parent;
    std::shared_ptr<const Ancestor> parent2; // crossover

    /// The whole schedule.
    [[nodiscard]] Steps steps() const;

  private:
    friend class AncestorCopies;
    friend std::shared_ptr<Ancestor> makeOrigin(const Steps &steps);
    friend std::shared_ptr<Ancestor> makeDescendant(std::shared_ptr<const Ancestor> parent, const Steps &before,
                                                    const Steps &after);
    uint32_t m_front = 0;  // steps taken over from the parent, from its first on
    uint32_t m_back = 0;   // the same, up to its last
    PackedSteps m_between; // its own
};

/// Copies of chains for whoever keeps them longer than the search runs. A search allocates thousands of links for each
/// one that stays; kept themselves, those few would keep from being freed whatever lies around them.
class AncestorCopies {
  public:
    /// What originals share, copies share. Their steps are kept with those skeletons.
    std::shared_ptr<const Ancestor> of(const std::shared_ptr<const Ancestor> &original, StepSkeletons &skeletons);
    /// The originals of a round, which are kept until then.
    void forgetRound() { m_copies.clear(); }

  private:
    struct Copy {
        std::shared_ptr<const Ancestor> original; // its address stays its own
        std::shared_ptr<const Ancestor> copy;
    };
    std::unordered_map<const Ancestor *, Copy> m_copies;
    std::unordered_map<int, std::weak_ptr<const Ancestor>> m_measured; // origins of several rounds, by trial
};

std::shared_ptr<Ancestor> makeOrigin(const Steps &steps);
/// `before` are the parent's steps.
std::shared_ptr<Ancestor> makeDescendant(std::shared_ptr<const Ancestor> parent, const Steps &before,
                                         const Steps &after);

} // namespace loopscope
