#include "measure/baselines/baseline_problem.h"

#include <cmath>
#include <fmt/format.h>

namespace loopscope {

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
