#pragma once
// Which of the candidates that promise most are measured. The most promising of a generation are near relatives: a
// model that has seen some dozen schedules gives them the same score, and measured together they tell little more than
// one of them would.

#include "search/candidate.h"

#include <vector>

namespace loopscope {

/// Steps that are not the same; all of the longer list's where the sketches differ.
size_t stepsApart(const Candidate &a, const Candidate &b);

class DiversePicks {
  public:
    /// `kinship`: by how much the score of a relative of one already picked counts less: half of it when a single step
    /// differs, a third when two do, and so on. `crowding`: by how much that of a candidate whose sketch all those
    /// picked are from; half of it when half of them are. Both 0: the scores alone decide.
    DiversePicks(double kinship, double crowding) : m_kinship(kinship), m_crowding(crowding) {}

    /// Picks up to `count` more, one after the other, none that was picked before; of equals the first in the list.
    void pick(const std::vector<Candidate> &from, size_t count);
    [[nodiscard]] size_t size() const { return m_picked.size(); }
    /// In the order they were picked in.
    std::vector<Candidate> take() { return std::move(m_picked); }

  private:
    double m_kinship;
    double m_crowding;
    std::vector<Candidate> m_picked;
};

} // namespace loopscope
