#pragma once
// Whether a dispatch table is one of this network, here: of the same kernels, the same target, variants that still
// generalise to the same programs, and guards that lead no size to a variant that does not hold for it.

#include "deploy/dispatch/dispatch_table.h"
#include "deploy/dispatch/kernel_families.h"
#include "networks/graph/function.h"

#include <string>
#include <vector>

namespace loopscope {

/// A sentence for each thing that is wrong; none: the table may be used. `families` of the table's bound.
std::vector<std::string> problemsOf(const DispatchTable &table, const std::vector<NetworkFamily> &families,
                                    const GraphFunction &function, const Partition &partition);

/// The same without a look at variants and guards, which takes no lowering.
std::vector<std::string> mismatchesOf(const DispatchTable &table, const std::vector<NetworkFamily> &families,
                                      const GraphFunction &function, const Partition &partition);

/// The node that a table names a family by.
std::string nodeOf(const NetworkFamily &family, const GraphFunction &function, const Partition &partition);

} // namespace loopscope
