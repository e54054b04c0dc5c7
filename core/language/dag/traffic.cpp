#include "language/dag/traffic.h"

namespace loopscope {

DagTraffic trafficOf(const ComputeDag &dag) {
    DagTraffic traffic;
    traffic.flops = dag.flops();
    for (size_t i = 0; i < dag.size(); ++i) {
        const Op &op = dag.op(i);
        for (const auto &tensor : op.outputs) {
            int64_t bytes = dtypeBytes(tensor->dtype);
            for (const int64_t extent : tensor->shape) bytes = mulSaturating(bytes, extent);
            if (op.isPlaceholder()) {
                traffic.inputBytes = addSaturating(traffic.inputBytes, bytes);
            } else if (dag.access(i).isOutput) {
                traffic.outputBytes = addSaturating(traffic.outputBytes, bytes);
            } else {
                traffic.intermediateBytes = addSaturating(traffic.intermediateBytes, bytes);
            }
        }
    }
    return traffic;
}

} // namespace loopscope
