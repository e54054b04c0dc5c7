#pragma once
// The kernels of a network with one open symbol, each as the family of the static kernels that it becomes with numbers
// for the symbol.

#include "dispatch/general_kernel.h"
#include "graph/function.h"
#include "outcome.h"
#include "partition/partition.h"
#include "target/target.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace loopscope {

struct NetworkFamily {
    KernelFamily family;
    std::vector<size_t> kernels; // of the partition, that are computed alike
    int weight = 0;              // how many these are
};

/// The same function with numbers for symbols in all types.
FunctionPtr withNumbers(const GraphFunction &function, const std::map<std::string, int64_t, std::less<>> &numbers);

/// The one symbol among the dims of the function's parameters. Refuses functions with none or with several.
Outcome<std::string> onlySymbol(const GraphFunction &function);

/// Where the parts of a concat lie in it must not depend on the symbol: such a concat copies.
Partition withoutOpenJoins(const GraphFunction &function, Partition partition);

/// In the order of their first kernels; those that give other dims to the same elements, or do not depend on the
/// symbol, have none. The function and the partition are copied. Refuses kernels that have no tensor expression.
Outcome<std::vector<NetworkFamily>> kernelFamilies(const FunctionPtr &function, const Partition &partition,
                                                   int64_t bound, const Target &target);

} // namespace loopscope
