#pragma once
// One transformation of a network: what it is called, what must hold before it, what still holds after it, and a
// function from the old module to the new one. Passes are values without state of their own; what they are told and
// what they tell goes through the GraphPassContext they are given.
//
// Every pass walks without recursion, visits each node once, keeps parameters and the names of results, and hands back
// the very functions it was given where it changes nothing. A value that keeps its name keeps its numbers, up to
// rounding: so whoever compares two states of a network compares by name.

#include "base/outcome.h"
#include "networks/graph/module.h"
#include "networks/passes/fact.h"

#include <functional>
#include <optional>
#include <string>
#include <variant>

namespace loopscope {

class FunctionEdit;
struct GraphPassContext;

/// Level of passes that are made only when they are required.
inline constexpr int kNeverUnasked = 1000;

struct PassInfo {
    std::string name;
    int level = 1;        // of optimisation from which on it is made without being asked for
    Facts needs = {};     // made true before it, by the passes that establish them
    Facts preserves = {}; // of what held before, where it changed something
    Facts establishes = {};
    std::string description = {}; // one line
};

/// Of the whole module at once.
using ModuleRun = std::function<Outcome<Module>(const Module &module, GraphPassContext &context)>;
/// Of one function after another; the same pointer where nothing changes.
using FunctionRun = std::function<Outcome<FunctionPtr>(const FunctionPtr &function, GraphPassContext &context)>;
/// Of one dataflow block after another: reads and changes nodes of that block, through the editor it is given.
using BlockRun = std::function<std::optional<Refusal>(FunctionEdit &edit, size_t block, GraphPassContext &context)>;

struct GraphPass {
    PassInfo info;
    std::variant<ModuleRun, FunctionRun, BlockRun> run;
};

/// Runs that pass alone, without asking anybody. Refuses what it refuses; what it throws is thrown.
Outcome<Module> applyPass(const GraphPass &pass, const Module &module, GraphPassContext &context);

} // namespace loopscope
