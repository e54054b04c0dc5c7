#pragma once
// Every variant of a kernel at every size it holds for: its answer compared, its time taken in turn with the others.

#include "base/outcome.h"
#include "deploy/dispatch/kernel_variants.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

struct MatrixOptions {
    int rounds =
        7; // in which every kernel has a turn; the lower quartile counts, as measure/timing/time_interval.h says why
    double minTurnSeconds = 0.002;  // a turn has so many calls
    uint64_t seed = 0;              // of the inputs
    double maxReferenceFlops = 2e7; // beyond it the static kernel is what answers are compared with
};

struct CrossMatrix {
    std::vector<int64_t> sizes;
    std::vector<double> fixed;                               // seconds of the static kernel, by size
    std::vector<std::vector<std::optional<double>>> seconds; // by variant and size; nothing: it does not hold there
    size_t answers = 0;                                      // that were compared, all of them right
    size_t identical = 0;                                    // of these, bit for bit those of the static kernel
};

/// Kernels run in this process. Refuses wrong answers, with variant, size and element.
Outcome<CrossMatrix> measureMatrix(const KernelFamily &family, const KernelVariants &kernels,
                                   const MatrixOptions &options = {});

/// What the kernel of a variant, or a static one where `general` is false, computes of these inputs (seeded, as
/// measureMatrix draws them) at one size: the bytes of its outputs, in order.
Outcome<std::vector<std::vector<std::byte>>> answerAt(const KernelFamily &family, const BuiltKernel &code, bool general,
                                                      int64_t size, uint64_t seed = 0);

/// Compares with the interpreter, within the bounds of errors; empty: right.
Outcome<std::string> wrongAt(const KernelFamily &family, const std::vector<std::vector<std::byte>> &outputs,
                             int64_t size, uint64_t seed = 0);

} // namespace loopscope
