#pragma once
// How far apart in memory the elements are that the lanes of a vector load, and what that costs.

#include "schedule/grouping/node_map.h"

#include <optional>

namespace loopscope {

/// What expressions do from one lane to the next, of lanes along one axis.
class LaneSteps {
  public:
    explicit LaneSteps(Expr lane) : m_lane(lane) {}

    /// A variable that a let binds.
    void bind(Expr var, Expr value) { m_steps.set(var, of(value)); }

    /// Operations that a load takes beyond one: none where lanes lie next to each other or load the same.
    [[nodiscard]] int64_t dearness(Expr load);

    /// Lanes are loaded one by one.
    [[nodiscard]] bool gathered(Expr load);

  private:
    /// By how much it grows; half a step of a floor division by two. None where that changes from lane to lane. Clamps
    /// are taken to be away from their ends.
    std::optional<double> of(Expr e);
    std::optional<double> stepOf(Expr e);

    Expr m_lane;
    NodeMap<std::optional<double>> m_steps;
};

} // namespace loopscope
