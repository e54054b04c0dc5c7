#pragma once
// What a network is as a program: modules with their functions, constants and what they import, sizes and signatures of
// all of it. Of an execution plan, built here or read from files, and of any shared library.

#include "base/outcome.h"
#include "deploy/plan/execution_plan.h"
#include "language/target/target.h"

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

enum class ModuleKind : uint8_t {
    Network,   // runs the calls of a plan, in order
    Kernels,   // machine code, a function for each task
    Constants, // weights as the kernels read them
    Library,   // a shared library
    Wanted,    // functions that a shared library expects of those it imports
};
std::string_view moduleKindName(ModuleKind kind); // "network", ...

struct InspectedFunction {
    std::string name;
    std::string signature;        // "(x: float32[1, 8]) -> (y: float32[1, 4])"; empty: the module does not say
    std::string origin;           // "record 0123456789abcdef", "default"; "packed": called by the packed convention
    size_t bytes = 0;             // of machine code; 0: it has none here
    size_t calls = 0;             // in one run of the network
    std::optional<size_t> kernel; // of the plan
};

struct InspectedConstant {
    std::string name;
    std::string type;  // "float32[64, 3, 7, 7]"; of a library, empty
    size_t bytes = 0;  // as it is kept
    std::string notes; // "as 2 kernels read it: 18 KiB more"
};

struct InspectedModule {
    std::string name;
    ModuleKind kind = ModuleKind::Network;
    std::vector<InspectedFunction> functions;
    std::vector<InspectedConstant> constants;
    std::vector<size_t> imports; // by their place in the tree
    std::string facts;           // what else there is to say, without a full stop
    /// Of functions and constants together.
    [[nodiscard]] size_t bytes() const;
    [[nodiscard]] const InspectedFunction *find(std::string_view function) const; // null
};

/// The first is what was asked for; modules it relies on stand behind it.
struct ModuleTree {
    std::vector<InspectedModule> modules;
    [[nodiscard]] std::string text() const;
    [[nodiscard]] nlohmann::ordered_json json() const;
};

ModuleTree modulesOf(const ExecutionPlan &plan);
/// Refused where the file cannot be read or is no shared library. It is not opened as one: nothing of it runs.
Outcome<ModuleTree> modulesOfLibrary(const std::string &path);

/// A function of such a file, disassembled. Refused where it is not there, or is wanted from others.
Outcome<std::string> libraryFunctionText(const std::string &path, const std::string &function, const Target &target);

/// Calls of the plan in order, a line each: what computes what of what.
std::string planText(const ExecutionPlan &plan);

} // namespace loopscope
