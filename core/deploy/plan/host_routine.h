#pragma once
// A kernel of a plan that no loops are made of: the host computes the operator (Operator::host: sorting, the largest
// few) as the catalogue says, with the plan's memory. It is kept as the text of a network of that one node, so that a
// plan can be read, and says what it does.

#include "codegen/kernel_launch.h"
#include "networks/graph/function.h"
#include "networks/partition/partition.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace loopscope {

struct HostRoutine {
    std::string text; // `.net`: parameters are what it reads, results what it writes, in the kernel's order
};

/// Of a single node, which the host computes.
bool isHostKernel(const GraphFunction &function, const Kernel &kernel);

/// Types must be known. Refuses dims that are no numbers.
Outcome<HostRoutine> hostRoutineOf(const GraphFunction &function, const Kernel &kernel);
/// What the plan hands it, inputs first.
std::vector<KernelArg> hostArguments(const GraphFunction &function, const Kernel &kernel);

/// Why it cannot be called with these arguments, as the rest of a sentence.
std::optional<std::string> problemOf(const HostRoutine &routine, std::span<const KernelArg> args);

class PreparedHost {
  public:
    /// For arguments that problemOf has nothing against. Where they lie is looked at in each run.
    PreparedHost(const HostRoutine &routine, void *const *arguments);
    /// On the calling thread; takes memory for the values it computes with. Throws Error for values that the operator
    /// does not take, with the node.
    void run() const;

  private:
    FunctionPtr m_function;
    void *const *m_arguments;
};

} // namespace loopscope
