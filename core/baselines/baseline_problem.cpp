#include "baselines/baseline_problem.h"

#include "check.h"

#include <cmath>
#include <fmt/format.h>

namespace loopscope {

MatmulProblem makeMatmul(int64_t batch, int64_t m, int64_t n, int64_t k, bool transposedB) {
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

namespace {

ActivationLayout denseActivations(ChannelOrder order, int64_t channels, const std::vector<int64_t> &extents) {
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

int64_t outputExtent(const ConvAxis &axis, bool transposed) {
    const int64_t reach = (axis.kernel - 1) * axis.dilation + 1;
    const int64_t pads = axis.padBefore + axis.padAfter;
    return transposed ? (axis.input - 1) * axis.stride + reach - pads : (axis.input + pads - reach) / axis.stride + 1;
}

} // namespace

ConvProblem makeConv(ChannelOrder order, int64_t batch, int64_t inChannels, int64_t outChannels,
                     std::vector<ConvAxis> axes, int64_t groups, bool transposed) {
    LOOPSCOPE_CHECK(!axes.empty() && axes.size() <= 3, "a convolution has 1 to 3 spatial dimensions");
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

double flops(const BaselineProblem &problem) {
    if (const auto *matmul = std::get_if<MatmulProblem>(&problem))
        return 2.0 * double(matmul->batch) * double(matmul->m) * double(matmul->n) * double(matmul->k);
    if (const auto *softmax = std::get_if<SoftmaxProblem>(&problem))
        return 4.0 * double(softmax->rows) * double(softmax->columns);
    if (const auto *norm = std::get_if<NormProblem>(&problem)) return 2.0 * double(norm->batch) * double(norm->count);
    const auto &conv = std::get<ConvProblem>(problem);
    double count = 2.0 * double(conv.batch) * double(conv.outChannels) * double(conv.inChannels) / double(conv.groups);
    for (const ConvAxis &axis : conv.axes)
        count *= double(conv.transposed ? axis.input : axis.output) * double(axis.kernel);
    return count;
}

namespace {

std::string tailText(const BaselineTail &tail) {
    std::string text;
    if (tail.bias) text += " + bias";
    if (tail.scale) text += " * scale";
    if (tail.offset) text += " + offset";
    if (tail.residual) text += " + residual";
    if (tail.relu) text += ", relu";
    if (std::isfinite(tail.most)) text += fmt::format(" up to {:g}", tail.most);
    if (tail.gelu) text += ", gelu";
    return text;
}

} // namespace

std::string describe(const BaselineProblem &problem) {
    if (const auto *matmul = std::get_if<MatmulProblem>(&problem)) {
        std::string text =
            "matmul " + std::to_string(matmul->m) + "x" + std::to_string(matmul->n) + "x" + std::to_string(matmul->k);
        if (matmul->batch > 1) text += " batch " + std::to_string(matmul->batch);
        return text + tailText(matmul->tail);
    }
    if (const auto *softmax = std::get_if<SoftmaxProblem>(&problem))
        return "softmax " + std::to_string(softmax->rows) + "x" + std::to_string(softmax->columns);
    if (const auto *norm = std::get_if<NormProblem>(&problem)) {
        const std::string text = "norm of " + std::to_string(norm->count);
        return norm->batch > 1 ? text + " batch " + std::to_string(norm->batch) : text;
    }
    const auto &conv = std::get<ConvProblem>(problem);
    std::string image;
    std::string kernel;
    std::string step;
    for (const ConvAxis &axis : conv.axes) {
        image += std::to_string(axis.input) + "x";
        kernel += (kernel.empty() ? "" : "x") + std::to_string(axis.kernel);
        step += (step.empty() ? "" : "x") + std::to_string(axis.stride);
    }
    std::string text = std::string(conv.transposed ? "transposed conv " : "conv ") + std::to_string(conv.batch) + "x" +
                       image + std::to_string(conv.inChannels) + " -> " + std::to_string(conv.outChannels) + ", " +
                       kernel + "/" + step;
    if (conv.groups > 1) text += ", " + std::to_string(conv.groups) + " groups";
    if (conv.axes.front().dilation > 1) text += ", dilation " + std::to_string(conv.axes.front().dilation);
    return text + tailText(conv.tail);
}

BaselineSizes bufferSizes(const BaselineProblem &problem) {
    BaselineSizes sizes;
    if (const auto *matmul = std::get_if<MatmulProblem>(&problem)) {
        auto size = [&](const MatrixLayout &layout, int64_t rows, int64_t columns) {
            return size_t((matmul->batch - 1) * layout.batch + (rows - 1) * layout.row + (columns - 1) * layout.column +
                          1);
        };
        sizes.data = size(matmul->a, matmul->m, matmul->k);
        sizes.weights = size(matmul->b, matmul->k, matmul->n);
        sizes.out = size(matmul->c, matmul->m, matmul->n);
        sizes.channels = size_t(matmul->n);
        return sizes;
    }
    if (const auto *softmax = std::get_if<SoftmaxProblem>(&problem)) {
        sizes.data = size_t(softmax->rows * softmax->columns);
        sizes.out = sizes.data;
        return sizes;
    }
    if (const auto *norm = std::get_if<NormProblem>(&problem)) {
        sizes.data = size_t(norm->batch * norm->count);
        sizes.out = size_t(norm->batch);
        return sizes;
    }
    const auto &conv = std::get<ConvProblem>(problem);
    int64_t data = (conv.batch - 1) * conv.data.image + (conv.inChannels - 1) * conv.data.channel;
    int64_t out = (conv.batch - 1) * conv.out.image + (conv.outChannels - 1) * conv.out.channel;
    int64_t weights = (conv.groups - 1) * conv.weights.group + (conv.outChannels / conv.groups - 1) * conv.weights.out +
                      (conv.inChannels / conv.groups - 1) * conv.weights.in;
    for (size_t i = 0; i < conv.axes.size(); ++i) {
        data += (conv.axes[i].input - 1) * conv.data.spatial[i];
        out += (conv.axes[i].output - 1) * conv.out.spatial[i];
        weights += (conv.axes[i].kernel - 1) * conv.weights.spatial[i];
    }
    sizes.data = size_t(data + 1);
    sizes.weights = size_t(weights + 1);
    sizes.out = size_t(out + 1);
    sizes.channels = size_t(conv.outChannels);
    return sizes;
}

BaselineTail tailOf(const BaselineProblem &problem) {
    return std::visit(
        [](const auto &known) {
            if constexpr (requires { known.tail; })
                return known.tail;
            else
                return BaselineTail();
        },
        problem);
}

} // namespace loopscope
