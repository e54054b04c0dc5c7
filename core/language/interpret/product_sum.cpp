#include "language/interpret/product_sum.h"

#include "base/check.h"
#include "language/dag/affine_offset.h"
#include "language/expr/half.h"
#include "language/interpret/error_bound.h"
#include "language/interpret/grain.h"
#include "language/interpret/scalar_ops.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace loopscope {

namespace {

struct Factor {
    const TensorValue *value = nullptr;
    AffineOffset offset;
};

struct Product {
    std::vector<Factor> factors;
    double scale = 1;
};

/// Finds the factors of one product; `range` of its value (integers only).
class Collector {
  public:
    Collector(const LaneProgram::TensorValues &values, VarRanges axes) : m_values(values), m_axes(axes) {}

    bool collect(Expr e, Product &product, Interval &range) const {
        switch (e->kind) {
        case ExprKind::FloatImm:
            product.scale *= e->floatValue;
            return true;
        case ExprKind::Mul: {
            Interval left, right;
            if (!collect(e->arg(0), product, left) || !collect(e->arg(1), product, right)) return false;
            range = left * right;
            return isFloat(e->dtype) || range.inside(Interval::ofType(e->dtype));
        }
        case ExprKind::Cast: {
            const DType from = e->arg(0)->dtype;
            if (isFloat(from) != isFloat(e->dtype) || !collect(e->arg(0), product, range)) return false;
            // Conversions that lose nothing leave the product what it is.
            return isFloat(from) ? dtypeBytes(e->dtype) > dtypeBytes(from) : range.inside(Interval::ofType(e->dtype));
        }
        case ExprKind::Load:
            break;
        default:
            return false;
        }
        const auto found = m_values.find(e->symbol);
        if (found == m_values.end()) return false;
        auto offset = affineOffset(e, m_axes);
        if (!offset || !offset->staysInside(static_cast<int64_t>(found->second->size()))) return false;
        if (!isFloat(e->dtype)) range = Interval::ofType(e->dtype);
        product.factors.push_back({found->second, std::move(*offset)});
        return true;
    }

  private:
    const LaneProgram::TensorValues &m_values;
    VarRanges m_axes;
};

/// Axes of one role, as one long axis: what each adds to the element numbers of both factors and of the output.
struct LongAxis {
    struct Part {
        int64_t extent;
        std::array<int64_t, 3> strides; // first factor, second factor, output
    };
    std::vector<Part> parts;
    int64_t extent = 1;

    void add(Part part) {
        extent *= part.extent;
        parts.push_back(part);
    }
    /// Element numbers in tensor `which` for positions [first, first + count).
    void offsets(size_t which, int64_t first, int64_t count, int64_t *out) const {
        std::vector<int64_t> at(parts.size());
        int64_t offset = 0;
        for (size_t i = parts.size(); i-- > 0;) {
            at[i] = first % parts[i].extent;
            first /= parts[i].extent;
            offset += at[i] * parts[i].strides[which];
        }
        for (int64_t n = 0; n < count; ++n) {
            out[n] = offset;
            for (size_t i = parts.size(); i-- > 0;) {
                offset += parts[i].strides[which];
                if (++at[i] < parts[i].extent) break;
                offset -= parts[i].extent * parts[i].strides[which];
                at[i] = 0;
            }
        }
    }
};

/// Of one row or column over all points: what bounds the error of the sums it takes part in.
struct Norms {
    double squares = 0, fourths = 0, sum = 0, largest = 0;   // of the magnitudes
    double errorSquares = 0, errorSum = 0, largestError = 0; // of their bounds
};

/// At least the sum of products of two rows of magnitudes, given what is known of each.
double sumOfProductsAtMost(double squaresA, double sumA, double largestA, double squaresB, double sumB,
                           double largestB) {
    return std::min({std::sqrt(squaresA * squaresB), sumA * largestB, sumB * largestA});
}

/// Two doubles side by side in a register.
using Pair = double __attribute__((vector_size(16)));

constexpr int64_t kTile = 4;    // rows and columns of sums held in registers
constexpr int64_t kBlock = 128; // rows, columns and points of the panels: they stay in the second-level cache

class SumKernel {
  public:
    SumKernel(const Op &op, Product product, TermSigns signs, TensorValue &result)
        : m_product(std::move(product)), m_signs(signs), m_result(result) {
        const std::vector<int64_t> out = rowMajorStrides(result.shape);
        const auto &a = m_product.factors[0].offset.strides, &b = m_product.factors[1].offset.strides;
        const size_t spatial = op.axes.size();
        for (size_t axis = 0; axis < a.size(); ++axis) {
            const bool reduces = axis >= spatial;
            const int64_t extent = reduces ? op.reduction->axes[axis - spatial].extent : op.axes[axis].extent;
            LongAxis &role = reduces ? m_points : b[axis] == 0 ? m_rows : a[axis] == 0 ? m_columns : m_batch;
            role.add({extent, {a[axis], b[axis], reduces ? 0 : out[axis]}});
        }
        if (!bounded() || m_product.scale != 1) return;
        const TensorGrain left = grainOf(*m_product.factors[0].value), right = grainOf(*m_product.factors[1].value);
        if (left.grain == 0 || right.grain == 0) return;
        m_grain = left.grain * right.grain;
        m_oneSigned = left.oneSigned && right.oneSigned;
    }

    /// Where the panels would be nearly empty the general way is as good.
    [[nodiscard]] bool worthwhile() const { return m_rows.extent >= kTile && m_columns.extent >= kTile; }
    [[nodiscard]] int64_t points() const { return m_points.extent; }
    /// Sums of integers are exact; those of inexact ones are left to the general way.
    [[nodiscard]] bool bounded() const { return isFloat(m_result.dtype); }
    [[nodiscard]] bool exactFactors() const {
        return m_product.factors[0].value->bounds.empty() && m_product.factors[1].value->bounds.empty();
    }
    [[nodiscard]] size_t tasks() const {
        return static_cast<size_t>(m_batch.extent * blocks(m_rows) * blocks(m_columns));
    }

    void run(size_t task) const {
        auto rest = static_cast<int64_t>(task);
        const int64_t firstColumn = rest % blocks(m_columns) * kBlock;
        rest /= blocks(m_columns);
        const int64_t firstRow = rest % blocks(m_rows) * kBlock;
        const int64_t batch = rest / blocks(m_rows);
        const int64_t rows = std::min(kBlock, m_rows.extent - firstRow);
        const int64_t columns = std::min(kBlock, m_columns.extent - firstColumn);
        const int64_t rowTiles = tiles(rows), columnTiles = tiles(columns);

        std::array<int64_t, kBlock> ofRows, ofColumns, ofPoints;
        m_rows.offsets(0, firstRow, rows, ofRows.data());
        m_columns.offsets(1, firstColumn, columns, ofColumns.data());
        std::vector<Pair> sums(static_cast<size_t>(rowTiles * columnTiles * kTile * kTile / 2), Pair{0, 0});
        std::vector<Pair> left(static_cast<size_t>(rowTiles * kTile * kBlock));
        std::vector<double> right(static_cast<size_t>(columnTiles * kTile * kBlock));
        std::vector<Norms> rowNorms, columnNorms;
        if (bounded()) {
            rowNorms = errorNorms(0, batch, ofRows.data(), rows);
            columnNorms = errorNorms(1, batch, ofColumns.data(), columns);
        }
        for (int64_t first = 0; first < m_points.extent; first += kBlock) {
            const int64_t points = std::min(kBlock, m_points.extent - first);
            m_points.offsets(0, first, points, ofPoints.data());
            pack(0, batch, ofRows.data(), rows, ofPoints.data(), points,
                 [&](int64_t at, double x) { left[static_cast<size_t>(at)] = Pair{x, x}; });
            m_points.offsets(1, first, points, ofPoints.data());
            pack(1, batch, ofColumns.data(), columns, ofPoints.data(), points,
                 [&](int64_t at, double x) { right[static_cast<size_t>(at)] = x; });
            if (bounded()) {
                addNorms(rowNorms, points, [&](int64_t at) { return left[static_cast<size_t>(at)][0]; });
                addNorms(columnNorms, points, [&](int64_t at) { return right[static_cast<size_t>(at)]; });
            }
            for (int64_t i = 0; i < rowTiles; ++i)
                for (int64_t j = 0; j < columnTiles; ++j)
                    addTile(&left[static_cast<size_t>(i * points * kTile)],
                            &right[static_cast<size_t>(j * points * kTile)], points,
                            &sums[static_cast<size_t>((i * columnTiles + j) * kTile * kTile / 2)]);
        }

        m_rows.offsets(2, firstRow, rows, ofRows.data());
        m_columns.offsets(2, firstColumn, columns, ofColumns.data());
        int64_t start = 0;
        m_batch.offsets(2, batch, 1, &start);
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = 0; j < columns; ++j) {
                const int64_t tile = i / kTile * columnTiles + j / kTile;
                const int64_t at = (tile * kTile + i % kTile) * kTile + j % kTile;
                const int64_t element = start + ofRows[static_cast<size_t>(i)] + ofColumns[static_cast<size_t>(j)];
                const double sum = sums[static_cast<size_t>(at / 2)][at % 2];
                store(element, sum);
                if (bounded())
                    storeBound(element, sum * m_product.scale, rowNorms[static_cast<size_t>(i)],
                               columnNorms[static_cast<size_t>(j)]);
            }
    }

  private:
    static int64_t blocks(const LongAxis &axis) { return (axis.extent + kBlock - 1) / kBlock; }
    static int64_t tiles(int64_t count) { return (count + kTile - 1) / kTile; }

    /// Panel of factor `which`: tile by tile, point by point, kTile values beside each other (0 beyond the last one).
    template <typename Put>
    void pack(size_t which, int64_t batch, const int64_t *lanes, int64_t count, const int64_t *points,
              int64_t pointCount, Put &&put) const {
        int64_t start = 0;
        m_batch.offsets(which, batch, 1, &start);
        start += m_product.factors[which].offset.base;
        const auto from = [&](const auto *data) {
            for (int64_t tile = 0; tile < tiles(count); ++tile)
                for (int64_t lane = tile * kTile; lane < (tile + 1) * kTile; ++lane)
                    for (int64_t p = 0; p < pointCount; ++p)
                        put((tile * pointCount + p) * kTile + lane % kTile,
                            lane < count ? static_cast<double>(data[start + lanes[lane] + points[p]]) : 0.0);
        };
        const TensorValue &value = *m_product.factors[which].value;
        if (isFloat(value.dtype))
            from(value.floats.data());
        else
            from(value.integers.data());
    }

    /// Adds a panel of `points` points to what is known of its rows.
    template <typename ValueAt> static void addNorms(std::vector<Norms> &norms, int64_t points, ValueAt &&valueAt) {
        const auto count = static_cast<int64_t>(norms.size());
        for (int64_t tile = 0; tile < tiles(count); ++tile) {
            // Lanes beside each other, so that the compiler keeps them in vectors.
            double squares[kTile] = {}, fourths[kTile] = {}, sum[kTile] = {}, largest[kTile] = {};
            for (int64_t p = 0; p < points; ++p)
                for (int64_t lane = 0; lane < kTile; ++lane) {
                    const double magnitude = std::fabs(valueAt((tile * points + p) * kTile + lane));
                    // What is infinite or NaN makes the sum so, and tells nothing of its roundings.
                    const double size = magnitude <= std::numeric_limits<double>::max() ? magnitude : 0;
                    const double square = size * size;
                    squares[lane] += square;
                    fourths[lane] += square * square;
                    sum[lane] += size;
                    largest[lane] = size > largest[lane] ? size : largest[lane];
                }
            for (int64_t lane = 0; lane < std::min(kTile, count - tile * kTile); ++lane) {
                Norms &norm = norms[static_cast<size_t>(tile * kTile + lane)];
                norm.squares += squares[lane];
                norm.fourths += fourths[lane];
                norm.sum += sum[lane];
                norm.largest = std::max(norm.largest, largest[lane]);
            }
        }
    }

    /// What is known of the bounds of rows; nothing of their values yet.
    [[nodiscard]] std::vector<Norms> errorNorms(size_t which, int64_t batch, const int64_t *lanes,
                                                int64_t count) const {
        int64_t start = 0;
        m_batch.offsets(which, batch, 1, &start);
        const Factor &factor = m_product.factors[which];
        start += factor.offset.base;
        std::vector<Norms> result(static_cast<size_t>(count));
        if (factor.value->bounds.empty()) return result;
        std::array<int64_t, kBlock> points;
        for (int64_t first = 0; first < m_points.extent; first += kBlock) {
            const int64_t here = std::min(kBlock, m_points.extent - first);
            m_points.offsets(which, first, here, points.data());
            for (int64_t lane = 0; lane < count; ++lane) {
                Norms &norm = result[static_cast<size_t>(lane)];
                for (int64_t p = 0; p < here; ++p) {
                    const auto at = static_cast<size_t>(start + lanes[lane] + points[static_cast<size_t>(p)]);
                    const double bound = factor.value->bounds[at];
                    norm.errorSquares += bound * bound;
                    norm.errorSum += bound;
                    norm.largestError = std::max(norm.largestError, bound);
                }
            }
        }
        return result;
    }

    void storeBound(int64_t element, double sum, const Norms &row, const Norms &column) const {
        const RoundingStep rounding = RoundingStep::to(m_result.dtype);
        const double scale = std::fabs(m_product.scale);
        const auto valuesByErrors = [](const Norms &values, const Norms &errors) {
            if (errors.errorSum == 0) return 0.0;
            return sumOfProductsAtMost(values.squares, values.sum, values.largest, errors.errorSquares, errors.errorSum,
                                       errors.largestError);
        };
        const double magnitudes =
            sumOfProductsAtMost(row.squares, row.sum, row.largest, column.squares, column.sum, column.largest);
        SumFacts facts;
        facts.points = static_cast<double>(points());
        facts.sum = sum;
        facts.squares = scale * scale *
                        sumOfProductsAtMost(row.fourths, row.squares, row.largest * row.largest, column.fourths,
                                            column.squares, column.largest * column.largest);
        // A product and its scaling round once each.
        facts.termErrors =
            scale * (valuesByErrors(row, column) + valuesByErrors(column, row) +
                     std::sqrt(row.errorSquares * column.errorSquares) + 2 * rounding.relative * magnitudes) +
            facts.points * rounding.absolute;
        facts.signsFollow = m_signs == TermSigns::Followed;
        if (m_grain > 0) {
            facts.grain = m_grain;
            facts.magnitudes = m_oneSigned ? std::fabs(sum) : magnitudes;
            // Products that the type has round to themselves.
            if (row.errorSum == 0 && column.errorSum == 0 &&
                row.largest * column.largest <= std::min(m_grain / rounding.relative, rounding.largest))
                facts.termErrors = 0;
        }
        m_result.bounds[static_cast<size_t>(element)] = storedBound(sumError(facts, m_result.dtype), sum, rounding);
    }

    /// sums[row][column] += left[point][row] * right[point][column], point after point.
    static void addTile(const Pair *left, const double *right, int64_t points, Pair *sums) {
        Pair sum[kTile][2];
        for (int r = 0; r < kTile; ++r)
            for (int h = 0; h < 2; ++h) sum[r][h] = sums[r * 2 + h];
        for (int64_t p = 0; p < points; ++p, left += kTile, right += kTile) {
            const Pair low{right[0], right[1]}, high{right[2], right[3]};
            for (int r = 0; r < kTile; ++r) {
                sum[r][0] += left[r] * low;
                sum[r][1] += left[r] * high;
            }
        }
        for (int r = 0; r < kTile; ++r)
            for (int h = 0; h < 2; ++h) sums[r * 2 + h] = sum[r][h];
    }

    void store(int64_t element, double sum) const {
        const auto at = static_cast<size_t>(element);
        if (isFloat(m_result.dtype))
            m_result.floats[at] = roundToType(sum * m_product.scale, m_result.dtype);
        else
            m_result.integers[at] = wrapToType(static_cast<int64_t>(sum), m_result.dtype);
    }

    Product m_product;
    TermSigns m_signs;
    TensorValue &m_result;
    double m_grain = 0;       // of the products; 0: none
    bool m_oneSigned = false; // the products
    LongAxis m_batch, m_rows, m_columns, m_points;
};

/// The magnitudes of every partial sum stay below 2^53.
bool exactInDouble(Interval product, int64_t points) {
    constexpr int64_t kLimit = int64_t{1} << 53;
    const Interval sum = product * points;
    return sum.min > -kLimit && sum.max < kLimit;
}

bool startsAtZero(Expr identity) {
    return identity->kind == ExprKind::FloatImm ? identity->floatValue == 0 : isInt(identity, 0);
}

} // namespace

bool sumOfProducts(const Op &op, const LaneProgram::TensorValues &values, TermSigns signs, TensorValue &result,
                   ThreadPool &pool) {
    if (!op.reduction || op.reduction->condition || op.body.size() != 1 ||
        reduceKind(op.reduction->combiner) != ReduceKind::Sum || !startsAtZero(op.reduction->combiner.identity[0]))
        return false;
    std::vector<VarRange> axes;
    for (const Axis &axis : op.axes) axes.push_back({axis.var.node(), Interval::upTo(axis.extent)});
    for (const Axis &axis : op.reduction->axes) axes.push_back({axis.var.node(), Interval::upTo(axis.extent)});
    Product product;
    Interval range;
    if (!Collector(values, axes).collect(op.body[0], product, range) || product.factors.size() != 2) return false;
    const SumKernel kernel(op, std::move(product), signs, result);
    if (!kernel.worthwhile()) return false;
    if (!kernel.bounded() && !(kernel.exactFactors() && exactInDouble(range, kernel.points()))) return false;
    if (kernel.bounded()) result.bounds.resize(result.size());
    pool.forEach(kernel.tasks(), [&](size_t task, int) { kernel.run(task); });
    return true;
}

} // namespace loopscope
