#pragma once
// What a search tells whoever watches: the command line and the window are two observers. Every event is a value; calls
// come from the search's own thread, in order, and must return quickly.

#include "cost/cost_model.h"
#include "measure/trial.h"
#include "schedule/loop_state.h"
#include "search/sketch/sketch.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace loopscope {

struct SketchTried {
    SketchStep step;
};
struct SketchesMade {
    std::vector<Sketch> sketches;
    double seconds = 0;
};
struct PopulationSampled {
    int round = 0;
    int attempts = 0;
    int valid = 0;
    std::vector<std::pair<std::string, int>> refusals; // reason kind -> count
    double seconds = 0;
};
/// One member of a generation and where it came from.
struct Lineage {
    int generation = 0;
    int parent = -1;           // index in the previous generation; -1 = sampled or measured before
    int parent2 = -1;          // crossover
    std::string_view mutation; // "tile-size", ...; empty = copied
    float score = 0;
};
struct GenerationEvolved {
    int round = 0;
    int generation = 0;
    int population = 0;
    int invalid = 0; // children that could not be bounded or lowered
    float bestScore = 0;
    float medianScore = 0;
    double seconds = 0;
};
struct ModelTrained {
    int round = 0;
    TrainingReport report;
};
struct TrialFinished {
    int number = 0; // from 1, over the whole search
    int total = 0;
    Trial trial;
    Lineage lineage;
    double bestSeconds = 0; // so far, this one included; +inf while none is valid
    double gflops = 0;      // of this trial; 0 when it failed
};
struct RoundFinished {
    int round = 0;
    int trials = 0; // so far
    double bestSeconds = 0;
    double elapsed = 0;
};
struct FinalistsCompared {
    std::vector<size_t> trials;  // indices into the trials measured
    std::vector<double> seconds; // median of the interleaved samples of each
    size_t winner = 0;           // index into `trials`
};
struct SearchNote {
    std::string sentence; // something a user should know: a sketch dropped, a record that does not replay
};

using SearchEvent = std::variant<SketchTried, SketchesMade, PopulationSampled, GenerationEvolved, ModelTrained,
                                 TrialFinished, RoundFinished, FinalistsCompared, SearchNote>;

class SearchObserver {
  public:
    virtual ~SearchObserver() = default;
    virtual void on(const SearchEvent &event) = 0;
};

} // namespace loopscope
