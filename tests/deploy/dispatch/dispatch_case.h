#pragma once
// Small networks with an open size, and tables of them.

#include "deploy/dispatch/network_dispatch.h"
#include "language/task/task.h"
#include "networks/graph/net_text.h"
#include "networks/op/infer_types.h"

#include <QtGlobal>
#include <string>
#include <vector>

namespace loopscope {

inline const char *const kMlp = R"(network small
func main(x: float32[n, 24]) {
  w = constant float32[24, 16] random he(fan_in = 24)
  b = constant float32[16] random normal(deviation = 0.1)
  product = matmul(x, w)
  sum = add(product, b)
  y = relu(sum)
  p = softmax(y)
  return p
})";

inline const char *const kAttention = R"(network attention
func main(q: float32[2, n, 8], k: float32[2, 8, n], v: float32[2, n, 8]) {
  scores = matmul(q, k)
  weights = softmax(scores)
  mixed = matmul(weights, v)
  return mixed
})";

/// A network with its families up to a bound.
struct Case {
    SizedNetwork network;
    FunctionPtr function;
    Partition partition;
    std::vector<NetworkFamily> families;
};

inline Case caseOf(const char *text, int64_t bound, const std::string &target = "llvm -num-cores=1",
                   FusionMode mode = FusionMode::Better) {
    const ParsedNet parsed = parseNet(text, "test.net");
    const FunctionPtr function = *inferTypes(parsed.module.find("main"));
    const SizedNetwork network = *SizedNetwork::of(function, mode);
    auto families = kernelFamilies(network, bound, parseTarget(target));
    if (!families) qFatal("%s", families.why().c_str());
    return {network, function, network.partition(), std::move(families).value()};
}

inline std::vector<PointSchedule> defaultsAt(const KernelFamily &family, const std::vector<int64_t> &sizes) {
    std::vector<PointSchedule> points;
    for (const int64_t size : sizes) {
        const Task task = makeTask(*family.dagAt(size), family.target);
        points.push_back({size, defaultSchedules(task, {.population = 64})->front(), "default"});
    }
    return points;
}

inline DispatchTable smallTable(const Case &made, const std::vector<int64_t> &sizes, size_t most = 8) {
    DispatchPoints points;
    points.sizes = sizes;
    points.weights.assign(sizes.size(), 1);
    DispatchOptions options;
    options.most = most;
    options.threads = 1;
    options.defaults.population = 64;
    options.matrix.minTurnSeconds = 1e-5;
    auto dispatch = dispatchNetwork("small", made.families, *made.network.function(), made.partition, points, options);
    if (!dispatch) qFatal("%s", dispatch.why().c_str());
    return dispatch->table;
}

} // namespace loopscope
