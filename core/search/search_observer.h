#pragma once
// What a search tells whoever watches: the command line and the window are two observers. Every event is a value; calls
// come from the search's own thread, in order, and must return quickly. A search knows one task or several: every event
// names the one it is about by its number in the list that was given, and rounds and trials are counted by task.

#include "measure/measurer.h"
#include "measure/timing/time_interval.h"
#include "measure/trial.h"
#include "schedule/loop_state.h"
#include "search/ancestor.h"
#include "search/cost/cost_model.h"
#include "search/sketch/sketch.h"

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace loopscope {

enum class SearchPhase : uint8_t {
    PreparingReference,
    Sketching,
    Sampling,
    Evolving,
    Training,
    Building,
    Measuring,
    ComparingFinalists,
    Done,
};
std::string_view searchPhaseText(SearchPhase phase); // "sampling", ...

/// What the search does from now on.
struct PhaseStarted {
    SearchPhase phase = SearchPhase::Done;
    int round = 0;      // 0: before the first
    std::string detail; // "trials 17 to 32 of 64"; may be empty
    int task = 0;
};
struct SketchTried {
    SketchStep step;
    int task = 0;
};
struct SketchesMade {
    std::vector<Sketch> sketches;
    double seconds = 0;
    int task = 0;
};
struct PopulationSampled {
    int round = 0;
    int attempts = 0;
    int valid = 0;
    std::vector<std::pair<std::string, int>> refusals; // reason kind -> count
    std::vector<int> validOfSketch;                    // of the valid ones, by sketch
    double seconds = 0;
    int task = 0;
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
    std::vector<float> scores; // of every member; what Lineage::parent of the next generation counts in
    double seconds = 0;
    std::vector<std::pair<std::string, int>> refusals = {}; // reason -> invalid children lost to it first
    int task = 0;
};
struct ModelTrained {
    int round = 0;
    TrainingReport report;
    int task = 0;
};
/// A trial under way. One whose build failed is not run; what was cancelled does not finish.
struct TrialProgress {
    int number = 0; // from 1, over the whole search of the task
    int total = 0;
    TrialStage stage = TrialStage::Building;
    int task = 0;
};
struct TrialFinished {
    int number = 0; // from 1, over the whole search of the task
    int total = 0;
    Trial trial;
    int round = 0;
    Lineage lineage;
    int sketch = -1; // -1 = unknown
    std::shared_ptr<const Ancestor> ancestry;
    float predicted = 0;                      // score it was chosen by; comparable within a round
    double elapsed = 0;                       // seconds since the search began, pauses left out
    double bestSeconds = 0;                   // so far, this one included; +inf while none is valid
    double gflops = 0;                        // of this trial; 0 when it failed
    std::vector<std::string> serialised = {}; // a sentence for each loop that runs serially against its annotation
    std::string by = {};                      // who put it into the running search; empty: nobody
    int task = 0;
};
struct RoundFinished {
    int round = 0;
    int trials = 0; // so far
    double bestSeconds = 0;
    double elapsed = 0;
    int task = 0;
};
/// The fastest trials and the naive schedule, timed in turn: what decides which is best.
struct FinalistsCompared {
    std::vector<ComparedTime> entries; // trials counted from 0 over those resumed and those of this search
    size_t winner = 0;                 // of `entries`; a trial
    int task = 0;
};
/// Of several tasks, the one whose turn it is from now on.
struct TaskSwitched {
    int task = 0;
};
/// Of several tasks, the one that has the next round, and why it and no other.
struct TaskPicked {
    std::string why; // about the task, without its name; empty where the order does not say
    int task = 0;
    /// By task: seconds of the weighted sum of times that its next round is expected to gain, whatever the order looks
    /// at; < 0 where it has no valid kernel yet.
    std::vector<double> gains = {};
};
/// A schedule was put into the running search (SearchControl::offer).
struct ScheduleOffered {
    Steps steps;
    std::string by;
    std::string refused; // why it is not measured; empty: it is, next
    int task = 0;
};
/// The grouping scheduler put a stage into the groups that read it. It may try several ways, and take an earlier one.
struct StageMerged {
    int attempt = 1;
    int number = 0; // from 1, of the attempt
    bool inlining = false;
    std::string stage;
    std::vector<std::string> into; // outputs of the groups; "f.update(0)" for what reduces
    int64_t benefit = 0;           // in arithmetic operations
    int task = 0;
};
struct SearchNote {
    std::string sentence; // something a user should know: a sketch dropped, a record that does not replay
    int task = 0;
};

using SearchEvent = std::variant<PhaseStarted, SketchTried, SketchesMade, PopulationSampled, GenerationEvolved,
                                 ModelTrained, TrialProgress, TrialFinished, RoundFinished, FinalistsCompared,
                                 TaskSwitched, TaskPicked, ScheduleOffered, StageMerged, SearchNote>;

class SearchObserver {
  public:
    virtual ~SearchObserver() = default;
    virtual void on(const SearchEvent &event) = 0;
};

} // namespace loopscope
