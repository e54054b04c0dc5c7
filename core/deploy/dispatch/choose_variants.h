#pragma once
// From the cross matrix to a table: few variants that together are hardly slower than static kernels, and guards that
// lead every size to the fastest of them that holds there.

#include "base/outcome.h"
#include "deploy/dispatch/cross_matrix.h"
#include "deploy/dispatch/dispatch_table.h"
#include "deploy/dispatch/kernel_variants.h"

#include <cstddef>
#include <vector>

namespace loopscope {

/// Static kernels as variants for their one size, at points that are `named` and where every general one is far slower.
void addStaticVariants(const KernelFamily &family, const std::vector<int64_t> &named, KernelVariants &variants,
                       CrossMatrix &matrix);

/// Greedy: first those that hold for all sizes together, then whichever lowers the weighted sum over points of seconds,
/// each over those of the static kernel, most; up to `most`, and while it is lowered by more than a hundredth. Numbers
/// of variants, in that order. Refuses a `most` that some sizes would be left without a variant by.
Outcome<std::vector<size_t>> coverOf(const CrossMatrix &matrix, const std::vector<KernelVariant> &variants,
                                     const std::vector<double> &weights, size_t most);

/// Rows, variants and times of the table; the last variant's guard is none. Name, node, key and weight are left out.
KernelTable tableOf(const CrossMatrix &matrix, const KernelVariants &variants, const std::vector<size_t> &chosen,
                    int64_t bound);

} // namespace loopscope
