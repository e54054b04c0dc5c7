#pragma once
// A list of steps applied one by one, for whoever wants to see the state between two steps: names of loops are read off
// the state in front of a step. replay() is this to the end.

#include "schedule/schedule_refusal.h"

namespace loopscope {

class StepwiseReplay {
  public:
    explicit StepwiseReplay(const DagPtr &dag, size_t steps = 0); // about so many will come
    explicit StepwiseReplay(LoopState state) : m_state(std::move(state)) {}

    [[nodiscard]] const LoopState &state() const { return m_state; }
    /// A refused step leaves the state as it was and is not recorded; the refusal names it by the number it would have.
    [[nodiscard]] Refused apply(const Step &step);
    /// Records the step without applying it, so that later ones count it.
    void count(const Step &step);
    [[nodiscard]] LoopState take() && { return std::move(m_state); }

  private:
    LoopState m_state;
};

} // namespace loopscope
