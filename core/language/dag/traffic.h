#pragma once
// What a workload asks of a machine whatever its schedule: operations, and the bytes that must be moved at least once.
// Their ratio says whether compute or memory is the roofline of the best possible kernel.

#include "language/dag/compute_dag.h"
#include "language/expr/interval.h"

#include <cstdint>

namespace loopscope {

struct DagTraffic {
    double flops = -1;             // as ComputeDag::flops: -1 when it cannot be counted
    int64_t inputBytes = 0;        // of the placeholders
    int64_t outputBytes = 0;       // of what nobody in the DAG reads
    int64_t intermediateBytes = 0; // written and read again, unless a schedule keeps it in registers or recomputes it

    [[nodiscard]] int64_t compulsoryBytes() const { return addSaturating(inputBytes, outputBytes); }
    /// Operations per compulsory byte; 0 where either is unknown or none.
    [[nodiscard]] double intensity() const {
        return flops > 0 && compulsoryBytes() > 0 ? flops / static_cast<double>(compulsoryBytes()) : 0;
    }
};

DagTraffic trafficOf(const ComputeDag &dag);

} // namespace loopscope
