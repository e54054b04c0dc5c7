#include "deploy/network/small_network.h"

#include "networks/graph/function_builder.h"
#include "networks/op/infer_types.h"

namespace loopscope {

FunctionPtr smallNetwork(bool withFeatures, Mistake mistake) {
    FunctionBuilder b("small");
    const auto weights = [&](const char *name, std::vector<int64_t> dims) {
        return b.addConstant(name, HostTensor::splat(DType::Float32, std::move(dims), 0.5));
    };
    const auto ints = [](std::initializer_list<int64_t> values) { return std::vector<int64_t>(values); };
    const ValueId x = b.addParameter("x", {DType::Float32, asDims({1, 3, 16, 16})});
    const ValueId conv1 = b.add("conv", "conv1", {x, weights("w1", {16, 3, 3, 3}), weights("b1", {16})},
                                {{"pads", ints({1, 1, 1, 1})}}, {"conv1"});
    const ValueId relu1 = b.add("relu", "relu1", {conv1}, {}, {"relu1"});
    const ValueId pool = b.add("max_pool", "pool", {relu1}, {{"kernel", ints({2, 2})}, {"strides", ints({2, 2})}});
    const auto pads = mistake == Mistake::Pads ? ints({2, 1, 0, 1}) : ints({1, 1, 1, 1});
    const ValueId conv2 =
        b.add("conv", "conv2", {pool, weights("w2", {16, 16, 3, 3}), weights("b2", {16})}, {{"pads", pads}}, {"conv2"});
    const ValueId norm =
        b.add("batch_norm", "norm",
              {conv2, weights("scale", {16}), weights("shift", {16}), weights("mean", {16}), weights("variance", {16})},
              {{"epsilon", mistake == Mistake::Epsilon ? 1e-2 : 1e-5}}, {"norm"});
    const ValueId sum = b.add("add", "sum", {norm, mistake == Mistake::Residual ? norm : pool}, {}, {"sum"});
    const ValueId relu2 = b.add("relu", "relu2", {sum}, {}, {"relu2"});
    const ValueId average = b.add("global_average_pool", "average", {relu2});
    const ValueId flat = b.add("flatten", "flat", {average});
    const ValueId fc = b.add("dense", "fc", {flat, weights("w3", {10, 16})});
    const ValueId biased = b.add("bias_add", "fc_bias", {fc, weights("b3", {10})});
    b.addResult(b.add("softmax", "prob", {biased}, {{"axis", int64_t{mistake == Mistake::Axis ? 0 : 1}}}));
    if (withFeatures) b.addResult(relu2);
    return inferTypes(std::move(b).finish()).value();
}

} // namespace loopscope
