#pragma once
// Sketches: the high-level structures of a schedule (tiling, fusion, caching, rfactor) with tile sizes left open,
// derived by rules walking the stages from the last to the first (Zheng et al., "Ansor", OSDI 2020, section 4.1).

#include "language/target/target.h"
#include "schedule/loop_state.h"
#include "search/search_options.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

struct Sketch {
    LoopState state;                // split lengths open
    std::vector<std::string> rules; // names of the rules applied, in order; `Tiling conv` style: rule and stage
    /// Numbers of the unfinished sketches (see SketchStep) that ended as this one: several when the rules came to the
    /// same schedule on different ways.
    std::vector<int> ends;
};

/// One rule tried on one stage of one unfinished sketch: what the sketch tree in the window is made of.
struct SketchStep {
    int parent = 0; // number of the unfinished sketch it was tried on; 0 = the naive state
    int stage = -1;
    std::string_view rule;
    bool applied = false;
    std::string reason;                                        // why it was refused, or what it did
    std::vector<int> children;                                 // numbers of the sketches it made
    std::vector<std::shared_ptr<const LoopState>> states = {}; // of the children
};
using SketchTrace = std::function<void(const SketchStep &)>;

/// Sketches in Ansor's order; none when cancelled.
std::vector<Sketch> generateSketches(const DagPtr &dag, const Target &target, const SketchOptions &options = {},
                                     const SketchTrace &trace = nullptr, const std::atomic<bool> *cancel = nullptr);

/// Index of the sketch a schedule was made from, also one of a log; -1 = none of these.
int sketchOf(const Steps &steps, const std::vector<Sketch> &sketches);

} // namespace loopscope
