#include "benchmark_shapes.h"

#include "harness/baseline_problems.h"

namespace loopscope {

namespace {

struct Layer {
    int64_t image, in, out, kernel, stride, pad;
};

std::vector<ConvAxis> axesOf(const Layer &layer, int dimensions, int64_t dilation = 1) {
    ConvAxis axis;
    axis.input = layer.image;
    axis.kernel = layer.kernel;
    axis.stride = layer.stride;
    axis.padBefore = layer.pad;
    axis.padAfter = layer.pad;
    axis.dilation = dilation;
    return std::vector<ConvAxis>(size_t(dimensions), axis);
}

ConvProblem conv(const Layer &layer, std::vector<ConvAxis> axes, int64_t groups = 1, bool transposed = false) {
    return makeConv(ChannelOrder::Last, 1, layer.in, layer.out, std::move(axes), groups, transposed);
}

} // namespace

std::vector<BenchmarkShape> benchmarkShapes() {
    std::vector<BenchmarkShape> shapes;
    std::string previous;
    int number = 0;
    auto add = [&](const char *name, BaselineProblem problem) {
        number = previous == name ? number + 1 : 1;
        previous = name;
        shapes.push_back({previous + "-" + std::to_string(number), std::move(problem)});
    };

    struct Product {
        int64_t n, m, k;
    };
    for (const Product &p : {Product{128, 128, 128}, {512, 32, 512}, {512, 512, 512}, {1024, 1024, 1024}})
        add("GMM", makeMatmul(1, p.n, p.m, p.k));

    const std::vector<Layer> resnet{
        {224, 3, 64, 7, 2, 3}, {56, 64, 64, 1, 1, 0}, {14, 256, 256, 3, 1, 1}, {7, 512, 512, 3, 1, 1}};
    for (const Layer &layer : resnet) add("C2D", conv(layer, axesOf(layer, 2)));

    for (const Layer &layer :
         {Layer{112, 32, 32, 3, 1, 1}, {112, 64, 64, 3, 2, 1}, {14, 512, 512, 3, 2, 1}, {7, 1024, 1024, 3, 1, 1}})
        add("DEP", conv(layer, axesOf(layer, 2), layer.in));

    for (const Layer &layer :
         {Layer{224, 3, 64, 7, 2, 3}, {56, 64, 128, 3, 2, 1}, {28, 128, 256, 1, 2, 0}, {7, 512, 512, 3, 1, 1}}) {
        ConvProblem problem = conv(layer, axesOf(layer, 2));
        problem.tail = {true, true, true, true};
        add("CBR", problem);
    }

    for (const Layer &layer :
         {Layer{256, 64, 128, 3, 2, 1}, {128, 128, 256, 1, 2, 0}, {64, 256, 256, 5, 1, 2}, {32, 512, 512, 3, 1, 1}})
        add("C1D", conv(layer, axesOf(layer, 1)));

    for (const Layer &layer : resnet) {
        std::vector<ConvAxis> axes = axesOf(layer, 3);
        axes[0].input = 16;
        add("C3D", conv(layer, axes));
    }

    for (const Layer &layer :
         {Layer{56, 64, 128, 3, 2, 1}, {56, 64, 64, 1, 1, 0}, {14, 256, 256, 3, 1, 1}, {7, 512, 512, 3, 1, 1}})
        add("GRP", conv(layer, axesOf(layer, 2), 4));

    for (const Layer &layer : resnet) add("DIL", conv(layer, axesOf(layer, 2, 2)));

    for (const Layer &layer :
         {Layer{4, 512, 256, 4, 2, 1}, {8, 256, 128, 4, 2, 1}, {16, 128, 64, 4, 2, 1}, {32, 64, 3, 4, 2, 1}})
        add("T2D", conv(layer, axesOf(layer, 2), 1, true));

    for (const int64_t count : {int64_t{256} * 256, int64_t{512} * 512, int64_t{1024} * 1024, int64_t{4096} * 1024})
        add("NRM", NormProblem{1, count});

    for (const int64_t n : {256, 512, 1024, 2048}) add("SFM", SoftmaxProblem{n, n});
    return shapes;
}

} // namespace loopscope
