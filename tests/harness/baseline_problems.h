#pragma once
// Products and convolutions of dense operands, for tests and benchmarks of what other libraries compute.

#include "measure/baselines/baseline_problem.h"

#include <utility>

namespace loopscope {

/// Row-major operands, one after the other in a batch. `transposedB`: b is stored n x k.
inline MatmulProblem makeMatmul(int64_t batch, int64_t m, int64_t n, int64_t k, bool transposedB = false) {
    MatmulProblem problem;
    problem.batch = batch;
    problem.m = m;
    problem.n = n;
    problem.k = k;
    problem.a = {m * k, k, 1};
    problem.b = transposedB ? MatrixLayout{n * k, 1, k} : MatrixLayout{n * k, n, 1};
    problem.c = {m * n, n, 1};
    return problem;
}

enum class ChannelOrder : uint8_t {
    Last,  // data N..C; weights spatial, in, out (HWIO); depthwise: spatial, channel
    First, // data NC..; weights out, in, spatial (OIHW)
};

inline ActivationLayout denseActivations(ChannelOrder order, int64_t channels, const std::vector<int64_t> &extents) {
    ActivationLayout layout;
    int64_t stride = 1;
    if (order == ChannelOrder::Last) {
        layout.channel = 1;
        stride = channels;
    }
    for (size_t i = extents.size(); i-- > 0;) {
        layout.spatial[i] = stride;
        stride *= extents[i];
    }
    if (order == ChannelOrder::First) {
        layout.channel = stride;
        stride *= channels;
    }
    layout.image = stride;
    return layout;
}

inline int64_t outputExtent(const ConvAxis &axis, bool transposed) {
    const int64_t reach = (axis.kernel - 1) * axis.dilation + 1;
    const int64_t pads = axis.padBefore + axis.padAfter;
    return transposed ? (axis.input - 1) * axis.stride + reach - pads : (axis.input + pads - reach) / axis.stride + 1;
}

/// Dense operands; `output` of each axis is computed from the other fields.
inline ConvProblem makeConv(ChannelOrder order, int64_t batch, int64_t inChannels, int64_t outChannels,
                            std::vector<ConvAxis> axes, int64_t groups = 1, bool transposed = false) {
    ConvProblem problem;
    problem.transposed = transposed;
    problem.batch = batch;
    problem.inChannels = inChannels;
    problem.outChannels = outChannels;
    problem.groups = groups;
    std::vector<int64_t> inputs;
    std::vector<int64_t> outputs;
    for (ConvAxis &axis : axes) {
        axis.output = outputExtent(axis, transposed);
        inputs.push_back(axis.input);
        outputs.push_back(axis.output);
    }
    problem.data = denseActivations(order, inChannels, inputs);
    problem.out = denseActivations(order, outChannels, outputs);

    const int64_t inPerGroup = inChannels / groups;
    const int64_t outPerGroup = outChannels / groups;
    WeightLayout &weights = problem.weights;
    int64_t stride = 1;
    if (order == ChannelOrder::Last) {
        weights.out = 1;
        weights.group = outPerGroup;
        weights.in = outChannels;
        stride = outChannels * inPerGroup;
    }
    for (size_t i = axes.size(); i-- > 0;) {
        weights.spatial[i] = stride;
        stride *= axes[i].kernel;
    }
    if (order == ChannelOrder::First) {
        weights.in = stride;
        weights.out = stride * inPerGroup;
        weights.group = weights.out * outPerGroup;
    }
    problem.axes = std::move(axes);
    return problem;
}

} // namespace loopscope
