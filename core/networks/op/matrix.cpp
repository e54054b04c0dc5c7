#include "networks/op/entry.h"
#include "networks/op/infer_rules.h"
#include "networks/op/strided_loop.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace loopscope {

namespace {

constexpr std::array<size_t, 2> kFactors = {0, 1};
constexpr std::array<size_t, 3> kFactorsAndSum = {0, 1, 2};

Dims batchOf(const Dims &dims) { return dims.size() <= 2 ? Dims{} : Dims(dims.begin(), dims.end() - 2); }

Inferred inferMatmul(const OperatorUse &use) {
    for (const size_t input : kFactors) {
        if (Checked wrong = wantNumeric(use, input)) return *wrong;
        if (Checked wrong = wantRank(use, input, 1, SIZE_MAX)) return *wrong;
    }
    if (Checked wrong = wantSameType(use, kFactors)) return *wrong;
    const Dims &a = use.dims(0);
    const Dims &b = use.dims(1);
    const Dim &inner = b.size() == 1 ? b[0] : b[b.size() - 2];
    if (knownEqual(a.back(), inner) != true)
        return refusal(use, "rows of a {} and columns of b {} do not fit: {}", dimsText(a), dimsText(b),
                       unequalText(a.back(), inner));
    Outcome<Dims> dims = broadcastDims(use, batchOf(a), batchOf(b), "the batch of a", "that of b");
    if (!dims) return dims.refusal();
    if (a.size() > 1) dims->push_back(a[a.size() - 2]);
    if (b.size() > 1) dims->push_back(b.back());
    return result(use.dtype(0), std::move(dims).value());
}

Inferred inferGemm(const OperatorUse &use) {
    if (Checked wrong = wantFloat(use, 0)) return *wrong;
    for (const size_t input : kFactors)
        if (Checked wrong = wantRank(use, input, 2, 2)) return *wrong;
    if (Checked wrong = wantSameType(use, kFactorsAndSum)) return *wrong;
    const bool transA = use.integer("trans_a") != 0;
    const bool transB = use.integer("trans_b") != 0;
    const Dims &a = use.dims(0);
    const Dims &b = use.dims(1);
    if (knownEqual(a[transA ? 0 : 1], b[transB ? 1 : 0]) != true)
        return refusal(use, "a {}{} and b {}{} do not fit: {}", dimsText(a), transA ? " transposed" : "", dimsText(b),
                       transB ? " transposed" : "", unequalText(a[transA ? 0 : 1], b[transB ? 1 : 0]));
    Dims dims = {a[transA ? 1 : 0], b[transB ? 0 : 1]};
    if (use.has(2)) {
        const Outcome<Dims> joined = broadcastDims(use, dims, use.dims(2), "the product", "c");
        if (!joined) return joined.refusal();
        if (*joined != dims)
            return refusal(use, "c {} does not broadcast to the product {}", dimsText(use.dims(2)), dimsText(dims));
    }
    return result(use.dtype(0), std::move(dims));
}

Inferred inferDense(const OperatorUse &use) {
    if (Checked wrong = wantFloat(use, 0)) return *wrong;
    for (const size_t input : kFactors)
        if (Checked wrong = wantRank(use, input, 2, 2)) return *wrong;
    if (Checked wrong = wantSameType(use, kFactors)) return *wrong;
    const Dims &x = use.dims(0);
    const Dims &w = use.dims(1);
    if (knownEqual(x[1], w[1]) != true)
        return refusal(use, "rows of x {} and of w {} do not fit: {}", dimsText(x), dimsText(w),
                       unequalText(x[1], w[1]));
    return result(use.dtype(0), {x[0], w[0]});
}

Inferred inferBiasAdd(const OperatorUse &use) {
    if (Checked wrong = wantNumeric(use, 0)) return *wrong;
    if (Checked wrong = wantSameType(use, kFactors)) return *wrong;
    const Outcome<size_t> axis = axisOf(use, "axis", use.rank(0));
    if (!axis) return axis.refusal();
    if (Checked wrong = wantVector(use, 1, use.dims(0)[*axis], fmt::format("one for each index of axis {}", *axis)))
        return *wrong;
    return result(use.dtype(0), use.dims(0));
}

constexpr int64_t kRowsAtOnce = 4;
constexpr int64_t kColumnsAtOnce = 256;

template <typename T> T wrappedMadd(T sum, T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
        return sum + a * b;
    else
        return static_cast<T>(static_cast<uint64_t>(sum) + static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

/// c[rows][columns] += a[rows][inner] * b[inner][columns], a part of larger matrices with rows that far apart. What is
/// read of b serves up to four rows.
template <typename T>
void multiplyPart(const T *a, int64_t aRow, const T *b, int64_t bRow, T *c, int64_t cRow, int64_t rows, int64_t inner,
                  int64_t columns) {
    if (rows == kRowsAtOnce) {
        T *__restrict c0 = c;
        T *__restrict c1 = c + cRow;
        T *__restrict c2 = c + 2 * cRow;
        T *__restrict c3 = c + 3 * cRow;
        for (int64_t k = 0; k < inner; ++k) {
            const T *__restrict from = b + k * bRow;
            const T a0 = a[k];
            const T a1 = a[aRow + k];
            const T a2 = a[2 * aRow + k];
            const T a3 = a[3 * aRow + k];
            for (int64_t j = 0; j < columns; ++j) {
                const T read = from[j];
                c0[j] = wrappedMadd(c0[j], a0, read);
                c1[j] = wrappedMadd(c1[j], a1, read);
                c2[j] = wrappedMadd(c2[j], a2, read);
                c3[j] = wrappedMadd(c3[j], a3, read);
            }
        }
        return;
    }
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t k = 0; k < inner; ++k)
            for (int64_t j = 0; j < columns; ++j)
                c[i * cRow + j] = wrappedMadd(c[i * cRow + j], a[i * aRow + k], b[k * bRow + j]);
}

struct Product {
    int64_t rows = 1;
    int64_t inner = 1;
    int64_t columns = 1;
    std::vector<std::array<int64_t, 2>> batches; // where a and b of each begin; the results stand side by side
};

template <typename T>
void multiply(const Product &product, const std::vector<T> &a, const std::vector<T> &b, std::vector<T> &c,
              ThreadPool &pool) {
    const int64_t rowBlocks = (product.rows + kRowsAtOnce - 1) / kRowsAtOnce;
    const int64_t columnBlocks = (product.columns + kColumnsAtOnce - 1) / kColumnsAtOnce;
    const int64_t cost = product.inner * kRowsAtOnce * std::min(kColumnsAtOnce, product.columns);
    const auto batches = static_cast<int64_t>(product.batches.size());
    inParts(pool, batches * rowBlocks * columnBlocks, cost, [&](int64_t begin, int64_t end) {
        for (int64_t unit = begin; unit < end; ++unit) {
            const int64_t batch = unit / (rowBlocks * columnBlocks);
            const int64_t row = unit / columnBlocks % rowBlocks * kRowsAtOnce;
            const int64_t column = unit % columnBlocks * kColumnsAtOnce;
            const auto [aBegin, bBegin] = product.batches[static_cast<size_t>(batch)];
            multiplyPart(a.data() + aBegin + row * product.inner, product.inner, b.data() + bBegin + column,
                         product.columns, c.data() + (batch * product.rows + row) * product.columns + column,
                         product.columns, std::min(kRowsAtOnce, product.rows - row), product.inner,
                         std::min(kColumnsAtOnce, product.columns - column));
        }
    });
}

double dotProduct(const double *a, const double *b, int64_t count) {
    constexpr int64_t kSums = 8; // side by side, for vectors
    std::array<double, kSums> sums = {};
    int64_t i = 0;
    for (; i + kSums <= count; i += kSums)
        for (int64_t j = 0; j < kSums; ++j) sums[static_cast<size_t>(j)] += a[i + j] * b[i + j];
    double total = 0;
    for (const double sum : sums) total += sum;
    for (; i < count; ++i) total += a[i] * b[i];
    return total;
}

/// c[rows][columns] = a[rows][inner] * b[columns][inner] transposed.
void multiplyTransposed(int64_t rows, int64_t inner, int64_t columns, const std::vector<double> &a,
                        const std::vector<double> &b, std::vector<double> &c, ThreadPool &pool) {
    inParts(pool, columns, rows * inner, [&](int64_t begin, int64_t end) {
        for (int64_t j = begin; j < end; ++j)
            for (int64_t i = 0; i < rows; ++i)
                c[static_cast<size_t>(i * columns + j)] = dotProduct(a.data() + i * inner, b.data() + j * inner, inner);
    });
}

Evaluated evaluateMatmul(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    Outcome<WideTensor> y = emptyResult(use);
    if (!y) return y.refusal();
    const WideTensor &a = *inputs[0];
    const WideTensor &b = *inputs[1];
    if (y->size() == 0) return single(std::move(y).value());
    Product product;
    product.inner = a.dims.back();
    if (a.dims.size() > 1) product.rows = a.dims[a.dims.size() - 2];
    if (b.dims.size() > 1) product.columns = b.dims.back();
    const auto batch = [](const std::vector<int64_t> &dims) {
        return dims.size() <= 2 ? std::vector<int64_t>{} : std::vector<int64_t>(dims.begin(), dims.end() - 2);
    };
    const size_t matrixAxes = (a.dims.size() > 1 ? 1 : 0) + (b.dims.size() > 1 ? 1 : 0);
    const std::vector<int64_t> batches(y->dims.begin(), y->dims.end() - static_cast<std::ptrdiff_t>(matrixAxes));
    const Strides aStrides = broadcastStrides(batch(a.dims), batches);
    const Strides bStrides = broadcastStrides(batch(b.dims), batches);
    for (int64_t i = 0; i < elementCount(batches); ++i) {
        std::array<int64_t, 2> begin = {0, 0};
        int64_t rest = i;
        for (size_t axis = batches.size(); axis-- > 0;) {
            begin[0] += rest % batches[axis] * aStrides[axis] * product.rows * product.inner;
            begin[1] += rest % batches[axis] * bStrides[axis] * product.inner * product.columns;
            rest /= batches[axis];
        }
        product.batches.push_back(begin);
    }
    if (isFloat(y->dtype)) {
        multiply(product, a.floats, b.floats, y->floats, pool);
    } else {
        multiply(product, a.integers, b.integers, y->integers, pool);
        for (int64_t &element : y->integers) element = wrapToType(element, y->dtype);
    }
    return single(std::move(y).value());
}

WideTensor transposed(const WideTensor &matrix, ThreadPool &pool) {
    WideTensor turned = WideTensor::zeros(matrix.dtype, {matrix.dims[1], matrix.dims[0]});
    copyStrided(turned.dims, matrix, 0, {1, matrix.dims[1]}, turned, 0, denseStrides(turned.dims), pool);
    return turned;
}

Evaluated evaluateGemm(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    Outcome<WideTensor> y = emptyResult(use);
    if (!y) return y.refusal();
    const WideTensor turned = use.integer("trans_a") != 0 ? transposed(*inputs[0], pool) : WideTensor{};
    const WideTensor &a = use.integer("trans_a") != 0 ? turned : *inputs[0];
    const WideTensor &b = *inputs[1];
    const int64_t inner = a.dims[1];
    if (use.integer("trans_b") != 0)
        multiplyTransposed(y->dims[0], inner, y->dims[1], a.floats, b.floats, y->floats, pool);
    else
        multiply({y->dims[0], inner, y->dims[1], {{0, 0}}}, a.floats, b.floats, y->floats, pool);
    const double alpha = use.number("alpha");
    for (double &element : y->floats) element *= alpha;
    if (inputs.size() < 3 || !inputs[2]) return single(std::move(y).value());
    const WideTensor &c = *inputs[2];
    const double beta = use.number("beta");
    const StridedLoop loop(y->dims, {denseStrides(y->dims), broadcastStrides(c.dims, y->dims)});
    loop.run(pool, [&](const StridedLoop::Places &at, const StridedLoop::Places &step, int64_t count) {
        for (int64_t i = 0; i < count; ++i)
            y->floats[static_cast<size_t>(at[0] + i * step[0])] +=
                beta * c.floats[static_cast<size_t>(at[1] + i * step[1])];
    });
    return single(std::move(y).value());
}

Evaluated evaluateDense(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    Outcome<WideTensor> y = emptyResult(use);
    if (!y) return y.refusal();
    multiplyTransposed(y->dims[0], inputs[0]->dims[1], y->dims[1], inputs[0]->floats, inputs[1]->floats, y->floats,
                       pool);
    return single(std::move(y).value());
}

Evaluated evaluateBiasAdd(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &) {
    WideTensor y = *inputs[0];
    const WideTensor &bias = *inputs[1];
    const Outcome<size_t> axis = axisOf(use, "axis", y.dims.size());
    if (!axis) return axis.refusal();
    size_t inner = 1;
    for (size_t i = *axis + 1; i < y.dims.size(); ++i) inner *= static_cast<size_t>(y.dims[i]);
    for (size_t i = 0; i < y.size(); ++i) {
        const size_t at = i / inner % bias.size();
        if (isFloat(y.dtype))
            y.floats[i] += bias.floats[at];
        else
            y.integers[i] = wrapToType(wrappedMadd(bias.integers[at], y.integers[i], int64_t{1}), y.dtype);
    }
    return single(std::move(y));
}

} // namespace

OperatorTable matrixOperators() {
    return {{.name = "matmul",
             .doc = "Matrix product of the last two axes; those before broadcast, vectors are rows or columns.",
             .inputs = {needed("a"), needed("b")},
             .attributes = {},
             .pattern = PatternKind::OutputFusable,
             .infer = inferMatmul,
             .evaluate = evaluateMatmul},
            {.name = "gemm",
             .doc = "alpha * a * b + beta * c of matrices, a and b transposed where asked; c broadcasts.",
             .inputs = {needed("a"), needed("b"), optional("c")},
             .attributes = {number("alpha", 1.0, "factor of the product"), number("beta", 1.0, "factor of c"),
                            integer("trans_a", 0, "1: a stands transposed"),
                            integer("trans_b", 0, "1: b stands transposed")},
             .pattern = PatternKind::OutputFusable,
             .infer = inferGemm,
             .evaluate = evaluateGemm},
            {.name = "dense",
             .doc = "x[M, K] times w[N, K] transposed.",
             .inputs = {needed("x"), needed("w")},
             .attributes = {},
             .pattern = PatternKind::OutputFusable,
             .infer = inferDense,
             .evaluate = evaluateDense},
            {.name = "bias_add",
             .doc = "x plus one number for each index of an axis.",
             .inputs = {needed("x"), needed("bias")},
             .attributes = {integer("axis", 1, "of x, along which the bias lies")},
             .pattern = PatternKind::Broadcast,
             .infer = inferBiasAdd,
             .evaluate = evaluateBiasAdd}};
}

} // namespace loopscope
