#pragma once
// Which tensors of a workload should lie otherwise, on given loops: the layouts of each with what they cost at each
// level of the memory, the one to take, and why. The dearest tensor is settled first, and the others are priced anew.
// A layout is taken only where it saves more than bringing the elements into it costs, and some more (`gain`).

#include "base/outcome.h"
#include "codegen/layout/access_nest.h"
#include "codegen/layout/nest_cost.h"
#include "codegen/layout/rewrite.h"
#include "schedule/loop_state.h"

#include <optional>
#include <string>
#include <vector>

namespace loopscope {

struct LayoutChoiceOptions {
    MemoryModel model;
    double gain = 1.1;      // what a layout must save, in costs of the stage that makes it
    double minShare = 0.05; // of what the whole nest costs: the model cannot tell less apart
    int beam = 1;           // alternatives that are followed; 1 is greedy
};

/// A layout for a tensor, or for what one of its readers sees of it.
struct PricedLayout {
    Layout layout = Layout::identity({});
    std::vector<std::string> readers = {}; // ops; empty: all
    LaidOutBy by = LaidOutBy::Nobody;
    LayoutCost cost = {};  // of all accesses of the nest, the tensor lying so
    LayoutCost stage = {}; // of bringing it into the layout, once a call; nothing for constants and producers
    double saving = 0;     // cycles: what the nest costs without less what it costs with it, the stage not counted
    bool pays = false;
};

struct TensorLayouts {
    std::string tensor;
    std::vector<std::string> axisNames;
    bool constant = false;
    LayoutCost cost;    // of its accesses as it lies
    double fetches = 0; // of each element, by loads that registers do not save
    /// Cheapest first, the stage counted; of those that the model cannot tell apart, the simplest first.
    std::vector<PricedLayout> layouts;
    std::vector<size_t> taken; // of them; several where readers have one each
    std::string why;           // a sentence: taken, or not and what the best would have saved
};

struct LayoutChoice {
    LayoutCost before;
    LayoutCost after;                    // the stages counted
    std::vector<TensorLayouts> tensors;  // dearest first, as first priced; `taken` is that of the last pricing
    std::vector<LayoutRequest> requests; // in the order taken; each holds in the workload the one before makes
};

/// Refused: where bounds do not exist, and loops bound to a GPU.
Outcome<LayoutChoice> chooseLayouts(const LoopState &state, const LayoutChoiceOptions &options);

/// The workload with all of them; the DAG's own text where there is none.
struct ChosenWorkload {
    Workload workload;
    std::string text;
    std::vector<Workload> prepacks;
};
Outcome<ChosenWorkload> applyLayouts(const ComputeDag &dag, const std::vector<LayoutRequest> &requests);

} // namespace loopscope
