#include "networks/partition/fusion_savings.h"

namespace loopscope {

namespace {

int64_t bytesOf(const GraphFunction &function, ValueId value) {
    if (function.isConstant(value)) return 0;
    const TensorType &type = function.type(value);
    const auto dims = constantDims(type.dims);
    return dims ? elementCount(*dims) * dtypeBytes(type.dtype) : 0;
}

} // namespace

FusionTraffic fusionTraffic(const GraphFunction &function, const Partition &partition) {
    FusionTraffic traffic;
    for (const Kernel &kernel : partition.kernels) {
        int64_t bytes = 0;
        for (const ValueId input : kernel.inputs) bytes += bytesOf(function, input);
        for (const ValueId output : kernel.outputs) bytes += bytesOf(function, output);
        if (kernel.joins) {
            ++traffic.joined;
            traffic.joinBytes += bytes;
        }
        if (!kernel.runs()) continue;
        ++traffic.running;
        traffic.bytes += bytes;
    }
    return traffic;
}

} // namespace loopscope
