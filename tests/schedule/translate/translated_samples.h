#pragma once
// What exports are tried on: the samples with extents that other systems run in a blink, some of them odd, and
// schedules drawn for them as a search draws them.

#include "language/dag/compute_dag.h"
#include "schedule/step.h"

#include <cstdint>
#include <string>
#include <vector>

namespace loopscope {

struct TranslatedSample {
    std::string name;
    DagPtr dag;
};
const std::vector<TranslatedSample> &translatedSamples();
DagPtr translatedSample(const std::string &name);

/// Complete schedules of random sketches; as many as there are, at most `count`.
std::vector<Steps> drawnSchedules(const DagPtr &dag, uint64_t seed, int count);

/// A random small program with random legal steps, called by its number. LOOPSCOPE_FIRST=n makes case 0 that with
/// number n.
struct RandomCase {
    std::string name;
    DagPtr dag;
    Steps steps;
};
RandomCase randomCase(uint64_t number);

} // namespace loopscope
