#pragma once
// What became of each sketch: how many candidates were sampled from it, measured, failed, and how fast they are. Kept
// up while trials arrive: adding a batch costs what the batch is long.

#include "views/session/document.h"

#include <limits>
#include <vector>

namespace loopscope {

struct SketchNumbers {
    int sampled = -1; // distinct candidates that could be lowered, over all rounds; -1 = no round yet
    int measured = 0; // failed ones included
    int failed = 0;
    int bestTrial = -1; // index in Document::trials
    double best = std::numeric_limits<double>::infinity();
    std::vector<double> seconds; // of the valid ones, ascending

    [[nodiscard]] double median() const; // of the valid ones; +inf when there is none
};

class SketchStatistics {
  public:
    /// Everything anew.
    void reset(const Document &document);
    /// Trials from `first` on are new.
    void add(const Document &document, size_t first);
    /// Rounds changed: what was sampled.
    void countSampled(const Document &document);

    [[nodiscard]] const SketchNumbers &of(int sketch) const;
    [[nodiscard]] int bestSketch() const { return m_bestSketch; } // -1 while nothing ran
    [[nodiscard]] int unknown() const { return m_unknown; }       // trials of no sketch known here
    /// Range of all times, for one scale over all sketches; fastest > slowest while there is none.
    [[nodiscard]] double fastest() const { return m_fastest; }
    [[nodiscard]] double slowest() const { return m_slowest; }

  private:
    std::vector<SketchNumbers> m_numbers;
    int m_unknown = 0;
    int m_bestSketch = -1;
    double m_fastest = std::numeric_limits<double>::infinity();
    double m_slowest = 0;
};

} // namespace loopscope
