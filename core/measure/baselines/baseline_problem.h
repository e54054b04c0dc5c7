#pragma once
// What a library can be asked to compute beside one of our kernels: a (batched) matrix product or a convolution, with
// the tail that inference libraries fuse; a softmax of rows; 2-norms. Layouts of the first two are strides, so NHWC and
// NCHW data, HWIO and OIHW weights, transposed operands are all the same struct; the others are contiguous. float32
// only.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

namespace loopscope {

/// What follows the sum, in this order: + bias[c], * scale[c], + offset[c], + residual, max(., 0), min(., most), GELU;
/// c is the output channel of a convolution, the column of a product; the residual has an element for each of the
/// result and lies as it does; GELU, by the error function, is x / 2 * (1 + erf(x / sqrt(2))).
struct BaselineTail {
    bool bias = false;
    bool scale = false;
    bool offset = false;
    bool relu = false;
    bool residual = false;
    float most = std::numeric_limits<float>::infinity(); // of a relu; 6 for relu6
    bool gelu = false;                                   // never with relu
    [[nodiscard]] bool any() const { return bias || scale || offset || relu || residual || gelu; }
};

/// Elements between neighbours along each dimension of one operand.
struct MatrixLayout {
    int64_t batch = 0;
    int64_t row = 0;
    int64_t column = 1;
};

/// c[b] (m x n) = a[b] (m x k) times b[b] (k x n).
struct MatmulProblem {
    int64_t batch = 1, m = 1, n = 1, k = 1;
    MatrixLayout a, b, c;
    bool constantB = false; // b holds weights, which a library may repack once, at preparation
    BaselineTail tail;
};

/// One spatial dimension. For a transposed convolution `pad*` crop the output, as in every framework.
struct ConvAxis {
    int64_t input = 1, kernel = 1, output = 1;
    int64_t stride = 1, dilation = 1;
    int64_t padBefore = 0, padAfter = 0;
};

/// Strides of activations: image, channel, spatial dimensions outermost first.
struct ActivationLayout {
    int64_t image = 0, channel = 1;
    std::array<int64_t, 3> spatial{};
};

/// Strides of weights: group, output channel within the group, input channel within the group, spatial.
struct WeightLayout {
    int64_t group = 0, out = 1, in = 1;
    std::array<int64_t, 3> spatial{};
};

/// A convolution in 1 to 3 dimensions; the weights are constant and may be repacked at preparation. Depthwise is
/// groups == inChannels.
struct ConvProblem {
    bool transposed = false;
    int64_t batch = 1, inChannels = 1, outChannels = 1, groups = 1;
    std::vector<ConvAxis> axes;
    ActivationLayout data, out;
    WeightLayout weights;
    BaselineTail tail;
};

/// out = exp(x - max) / sum of these, max and sum over the row; rows are contiguous and follow one another.
struct SoftmaxProblem {
    int64_t rows = 1, columns = 1;
};

/// out[b] = the root of the sum of the squares of `count` contiguous elements; the batches follow one another.
struct NormProblem {
    int64_t batch = 1, count = 1;
};

using BaselineProblem = std::variant<MatmulProblem, ConvProblem, SoftmaxProblem, NormProblem>;

/// Multiplications and additions of the sum (padding counted, as everyone quotes it), without the tail or the root.
/// Four an element of a softmax, as a ComputeDag counts them: subtract, exp, add, divide.
double flops(const BaselineProblem &problem);
/// "matmul 512x32x512", "conv 1x14x14x256 -> 256, 3x3/1x1", "softmax 256x256", "norm of 1024": for tables and messages.
std::string describe(const BaselineProblem &problem);

/// The operands, float32, laid out as the problem says. For a product `data` is a and `weights` is b; a softmax and a
/// norm have no weights. The vectors of the tail have one element per output channel or column. Those that the problem
/// does not use may be null.
struct BaselineBuffers {
    const float *data = nullptr;
    const float *weights = nullptr;
    const float *bias = nullptr;
    const float *scale = nullptr;
    const float *offset = nullptr;
    float *out = nullptr;
    const float *residual = nullptr; // apart from `out`
};

struct BaselineSizes {
    size_t data = 0, weights = 0, channels = 0, out = 0; // elements
};
BaselineSizes bufferSizes(const BaselineProblem &problem);
/// Of problems that have none: nothing.
BaselineTail tailOf(const BaselineProblem &problem);

} // namespace loopscope
