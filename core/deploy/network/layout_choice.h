#pragma once
// Which layout each operator of a network is computed with, as a decision with a cost: what its kernel costs with each
// (layout_costs.h), and what bringing values from one into the other does where neighbours differ. Solved as an
// assignment (assignment_solver.h): exactly where the graph reduces, as chains, branches and residual networks do, and
// by a heuristic elsewhere, which is said. Parameters and results keep the caller's layout. Not the layout of elements
// inside a kernel, which is a schedule's matter (core/codegen/layout).
//
// Nodes that are one kernel with both layouts have one layout. What is left out: where kernels are cut otherwise
// because layouts meet, as a transform that is computed together with what comes before it.

#include "deploy/network/layout_costs.h"
#include "networks/op/layout_rule.h"
#include "networks/passes/assign_layouts.h"
#include "networks/passes/pass_sequence.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace loopscope {

struct LayoutOffer {
    DataLayout layout = DataLayout::ChannelsFirst;
    PricedKernel kernel;   // source "in the kernel of another node" and cost 0, where it is no heart of one
    double transforms = 0; // of the inputs and outputs of its kernel, the neighbours being as they were decided
    [[nodiscard]] double cost() const { return kernel.cost + transforms; }
};

struct LayoutDecision {
    std::string node;
    std::string op;
    LayoutRole role = LayoutRole::Fixed;
    std::vector<LayoutOffer> offers; // of all that it takes
    DataLayout chosen = DataLayout::ChannelsFirst;
    std::string because; // one sentence without a full stop
    std::string with;    // the node in whose kernel it is computed, and whose layout it has; empty: none other
};

/// A value that is there in two layouts.
struct LayoutTransform {
    std::string value;
    DataLayout to = DataLayout::ChannelsFirst;
    double cost = 0;
    std::string source;
};

struct NetworkLayouts {
    LayoutTable table; // by node of the function that was decided on
    std::vector<LayoutDecision> decisions;
    std::vector<LayoutTransform> transforms;
    bool priced = false;  // by costs; otherwise a layout was asked for
    std::string unit;     // of all costs: "cycles", or "s" where anything was measured
    double cost = 0;      // of the whole, as chosen
    double first = 0;     // the same, all channels first
    double last = 0;      // the same, all channels last that can be
    size_t heuristic = 0; // nodes and values that a heuristic decided; 0: nothing is cheaper
    std::string summary;  // one sentence
    std::vector<std::string> notes;

    [[nodiscard]] std::string text() const;
    [[nodiscard]] nlohmann::ordered_json json() const;
};

/// Types must be known; for costs, dims too. Refuses what has no kernel, and when it is cancelled. Throws Error when a
/// log cannot be read.
Outcome<NetworkLayouts> decideLayouts(const FunctionPtr &function, const NetworkLayoutRequest &request,
                                      ThreadPool &pool);

/// The module with its main function written so, and rid of the file's own transposes that are read no more. What the
/// passes did is told to the context's report, behind what stands there.
PassResult withLayouts(const Module &module, const NetworkLayouts &layouts, GraphPassContext &context);

} // namespace loopscope
