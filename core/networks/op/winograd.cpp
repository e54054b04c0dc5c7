// Winograd convolution F(m x m, 3 x 3) as two operators: what becomes of the weights, which is computed once where they
// are constants, and the rest. Networks do not come with them: strategies write convolutions so
// (core/networks/strategy).

#include "language/te/operators/winograd_matrices.h"
#include "networks/op/entry.h"
#include "networks/op/infer_rules.h"
#include "networks/op/strided_loop.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace loopscope {

namespace {

constexpr std::array<size_t, 3> kConvOperands = {0, 1, 2};
constexpr int64_t kWinogradKernel = 3;
constexpr int64_t kMaxWinogradPadding = 65536;

/// Of tiles of the result; refuses others than there are matrices for.
Outcome<int64_t> winogradTile(const OperatorUse &use) {
    const int64_t tile = use.integer("tile");
    if (tile < 2 || tile > 8) return refusal(use, "tile is {}, it is from 2 to 8", tile);
    return tile;
}

Inferred inferWinogradWeight(const OperatorUse &use) {
    if (Checked wrong = wantFloat(use, 0)) return *wrong;
    if (Checked wrong = wantRank(use, 0, 4, 4)) return *wrong;
    const auto tile = winogradTile(use);
    if (!tile) return tile.refusal();
    const Dims &w = use.dims(0);
    if (w[2] != Dim(kWinogradKernel) || w[3] != Dim(kWinogradKernel))
        return refusal(use, "w {} is a kernel of {} x {}, it has to be 3 x 3", dimsText(w), w[2].text(), w[3].text());
    return result(use.dtype(0), {*tile + 2, *tile + 2, w[1], w[0]});
}

/// G w G^T of every kernel, channels out innermost.
Evaluated evaluateWinogradWeight(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    Outcome<WideTensor> u = emptyResult(use);
    if (!u) return u.refusal();
    const WideTensor &w = *inputs[0];
    const Matrix g = winogradMatrices(use.integer("tile"), kWinogradKernel).kernel;
    const int64_t outputs = w.dims[0];
    const int64_t taken = w.dims[1];
    const auto alpha = static_cast<int64_t>(g.size());
    inParts(pool, taken, outputs * alpha * alpha * kWinogradKernel * kWinogradKernel, [&](int64_t begin, int64_t end) {
        for (int64_t ci = begin; ci < end; ++ci)
            for (int64_t co = 0; co < outputs; ++co) {
                const double *kernel = w.floats.data() + (co * taken + ci) * kWinogradKernel * kWinogradKernel;
                for (int64_t i = 0; i < alpha; ++i)
                    for (int64_t j = 0; j < alpha; ++j) {
                        double sum = 0;
                        for (size_t y = 0; y < 3; ++y)
                            for (size_t x = 0; x < 3; ++x)
                                sum += kernel[y * 3 + x] * g[static_cast<size_t>(i)][y] * g[static_cast<size_t>(j)][x];
                        u->floats[static_cast<size_t>(((i * alpha + j) * taken + ci) * outputs + co)] = sum;
                    }
            }
    });
    return single(std::move(u).value());
}

Outcome<std::vector<int64_t>> winogradPads(const OperatorUse &use) {
    std::vector<int64_t> pads = use.integers("pads");
    if (pads.empty()) pads.assign(4, 0);
    if (pads.size() != 4) return refusal(use, "pads has {} numbers, it takes 4 for 2 spatial axes", pads.size());
    for (const int64_t pad : pads)
        if (pad < 0 || pad > kMaxWinogradPadding)
            return refusal(use, "pads has {}, each is from 0 to {}", pad, kMaxWinogradPadding);
    return pads;
}

Inferred inferWinogradConv(const OperatorUse &use) {
    if (Checked wrong = wantFloat(use, 0)) return *wrong;
    if (Checked wrong = wantSameType(use, kConvOperands)) return *wrong;
    for (const size_t input : {size_t{0}, size_t{1}})
        if (Checked wrong = wantRank(use, input, 4, 4)) return *wrong;
    const auto tile = winogradTile(use);
    if (!tile) return tile.refusal();
    const auto pads = winogradPads(use);
    if (!pads) return pads.refusal();
    const Dims &x = use.dims(0);
    const Dims &u = use.dims(1);
    if (u[0] != Dim(*tile + 2) || u[1] != Dim(*tile + 2))
        return refusal(use, "u {} is transformed for other tiles, of tile {} it is {} x {}", dimsText(u), *tile,
                       *tile + 2, *tile + 2);
    if (knownEqual(x[1], u[2]) != true) return refusal(use, "x has {} channels, u takes {}", x[1].text(), u[2].text());
    if (use.has(2))
        if (Checked wrong = wantVector(use, 2, u[3], "one for each output channel")) return *wrong;
    Dims dims = {x[0], u[3]};
    for (size_t axis = 0; axis < 2; ++axis) {
        dims.push_back(x[axis + 2] + ((*pads)[axis] + (*pads)[axis + 2] - (kWinogradKernel - 1)));
        if (dims.back().isConstant() && dims.back().value() < 1)
            return refusal(use, "a kernel of 3 x 3 does not fit into axis {} of extent {} with padding {} + {}",
                           axis + 2, x[axis + 2].text(), (*pads)[axis], (*pads)[axis + 2]);
    }
    return result(use.dtype(0), std::move(dims));
}

/// left^T square right, for what goes in (square, side x side) and what comes out of it.
void transform(const Matrix &matrix, const std::vector<double> &square, std::vector<double> &result) {
    const size_t side = matrix.size();
    const size_t columns = matrix[0].size();
    std::vector<double> half(columns * side, 0.0);
    for (size_t i = 0; i < columns; ++i)
        for (size_t a = 0; a < side; ++a)
            for (size_t b = 0; b < side; ++b) half[i * side + b] += matrix[a][i] * square[a * side + b];
    result.assign(columns * columns, 0.0);
    for (size_t i = 0; i < columns; ++i)
        for (size_t j = 0; j < columns; ++j)
            for (size_t b = 0; b < side; ++b) result[i * columns + j] += half[i * side + b] * matrix[b][j];
}

/// One tile of one image after the other: transformed, multiplied with all kernels, transformed back.
class WinogradTiles {
  public:
    WinogradTiles(const WideTensor &x, const WideTensor &u, const WideTensor *bias, std::vector<int64_t> pads,
                  WideTensor &y)
        : m_x(x), m_u(u), m_bias(bias), m_pads(std::move(pads)), m_y(y), m_alpha(u.dims[0]), m_tile(u.dims[0] - 2),
          m_matrices(winogradMatrices(m_tile, kWinogradKernel)) {}

    [[nodiscard]] int64_t rows() const { return (m_y.dims[2] + m_tile - 1) / m_tile; }
    [[nodiscard]] int64_t columns() const { return (m_y.dims[3] + m_tile - 1) / m_tile; }

    void compute(int64_t image, int64_t row, int64_t column) const {
        const int64_t taken = m_x.dims[1];
        const int64_t outputs = m_y.dims[1];
        const auto places = static_cast<size_t>(m_alpha * m_alpha);
        std::vector<double> products(places * static_cast<size_t>(outputs), 0.0);
        std::vector<double> square(places);
        std::vector<double> transformed;
        for (int64_t ci = 0; ci < taken; ++ci) {
            for (int64_t i = 0; i < m_alpha; ++i)
                for (int64_t j = 0; j < m_alpha; ++j)
                    square[static_cast<size_t>(i * m_alpha + j)] =
                        input(image, ci, row * m_tile + i - m_pads[0], column * m_tile + j - m_pads[1]);
            transform(m_matrices.data, square, transformed);
            for (size_t at = 0; at < places; ++at) {
                const double *weights = m_u.floats.data() + (static_cast<int64_t>(at) * taken + ci) * outputs;
                double *sums = products.data() + static_cast<int64_t>(at) * outputs;
                for (int64_t co = 0; co < outputs; ++co) sums[co] += transformed[at] * weights[co];
            }
        }
        std::vector<double> results;
        for (int64_t co = 0; co < outputs; ++co) {
            for (size_t at = 0; at < places; ++at)
                square[at] = products[at * static_cast<size_t>(outputs) + static_cast<size_t>(co)];
            transform(m_matrices.inverse, square, results);
            store(image, co, row * m_tile, column * m_tile, results);
        }
    }

  private:
    [[nodiscard]] double input(int64_t image, int64_t channel, int64_t row, int64_t column) const {
        if (row < 0 || row >= m_x.dims[2] || column < 0 || column >= m_x.dims[3]) return 0;
        const int64_t plane = image * m_x.dims[1] + channel;
        return m_x.floats[static_cast<size_t>((plane * m_x.dims[2] + row) * m_x.dims[3] + column)];
    }
    void store(int64_t image, int64_t channel, int64_t row, int64_t column, const std::vector<double> &results) const {
        const double bias = m_bias != nullptr ? m_bias->floats[static_cast<size_t>(channel)] : 0;
        const int64_t plane = image * m_y.dims[1] + channel;
        for (int64_t i = 0; i < std::min(m_tile, m_y.dims[2] - row); ++i)
            for (int64_t j = 0; j < std::min(m_tile, m_y.dims[3] - column); ++j)
                m_y.floats[static_cast<size_t>((plane * m_y.dims[2] + row + i) * m_y.dims[3] + column + j)] =
                    results[static_cast<size_t>(i * m_tile + j)] + bias;
    }

    const WideTensor &m_x;
    const WideTensor &m_u;
    const WideTensor *m_bias;
    std::vector<int64_t> m_pads;
    WideTensor &m_y;
    int64_t m_alpha;
    int64_t m_tile;
    WinogradMatrices m_matrices;
};

Evaluated evaluateWinogradConv(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    Outcome<WideTensor> y = emptyResult(use);
    if (!y) return y.refusal();
    const auto pads = winogradPads(use);
    if (!pads) return pads.refusal();
    if (y->floats.empty()) return single(std::move(y).value());
    const WinogradTiles tiles(*inputs[0], *inputs[1], inputs.size() > 2 ? inputs[2] : nullptr, *pads, *y);
    const int64_t rows = tiles.rows();
    const int64_t columns = tiles.columns();
    pool.forEach(static_cast<size_t>(y->dims[0] * rows * columns), [&](size_t unit, int) {
        const auto at = static_cast<int64_t>(unit);
        tiles.compute(at / (rows * columns), at / columns % rows, at % columns);
    });
    return single(std::move(y).value());
}

} // namespace

OperatorTable winogradOperators() {
    const AttributeSpec tile = given(integer("tile", 4, "extent of the tiles of the result, from 2 to 8"));
    return {{.name = "winograd_weight",
             .doc = "Kernels w[M, C, 3, 3] of a convolution transformed for tiles: u[tile + 2, tile + 2, C, M].",
             .inputs = {needed("w")},
             .attributes = {tile},
             .pattern = PatternKind::OutputFusable,
             .infer = inferWinogradWeight,
             .evaluate = evaluateWinogradWeight},
            {.name = "winograd_conv",
             .doc = "Convolution of x[N, C, H, W] with transformed 3 x 3 kernels u, plus a bias for each channel.",
             .inputs = {needed("x"), needed("u"), optional("b")},
             .attributes = {tile, integers("pads", "zeros before each axis, then behind each; none: 0")},
             .pattern = PatternKind::OutputFusable,
             .infer = inferWinogradConv,
             .evaluate = evaluateWinogradConv}};
}

} // namespace loopscope
