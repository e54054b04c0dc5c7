#include "dag/product_sum.h"

#include "expr/half.h"

#include <algorithm>
#include <optional>

namespace loopscope {

namespace {

struct Factor {
    const double *data = nullptr;
    int64_t base = 0;
    std::vector<int64_t> spatial; // stride per spatial axis
    std::vector<int64_t> reduce;  // stride per reduce axis
};

struct Product {
    std::vector<Factor> factors; // one or two
    double scale = 1;
};

/// Conversions that lose nothing leave the product what it is.
bool widens(DType from, DType to) { return isFloat(from) && isFloat(to) && dtypeBytes(to) > dtypeBytes(from); }

bool collect(Expr e, ExprProgram &program, const Op &op, Product &product) {
    switch (e->kind) {
    case ExprKind::FloatImm:
        product.scale *= e->floatValue;
        return true;
    case ExprKind::Mul:
        return collect(e->arg(0), program, op, product) && collect(e->arg(1), program, op, product);
    case ExprKind::Cast:
        return widens(e->arg(0)->dtype, e->dtype) && collect(e->arg(0), program, op, product);
    case ExprKind::Load:
        break;
    default:
        return false;
    }
    const auto offset = program.affineOffset(e);
    if (!offset || !isFloat(e->dtype) || product.factors.size() == 2) return false;
    Factor factor;
    factor.data = program.valueOf(e).floats.data();
    factor.base = offset->base;
    factor.spatial.assign(op.axes.size(), 0);
    factor.reduce.assign(op.reduceRank(), 0);
    for (const StrideTerm &term : offset->terms) {
        const auto slot = static_cast<size_t>(term.slot); // axes got their slots first, in order
        (slot < op.axes.size() ? factor.spatial[slot] : factor.reduce[slot - op.axes.size()]) = term.stride;
    }
    product.factors.push_back(std::move(factor));
    return true;
}

/// Element numbers relative to the first one for every point of the trailing reduce axes, so that the inner loops need
/// no odometer.
constexpr int64_t kTableLimit = 1 << 15;
constexpr int64_t kBlock = 256; // outputs side by side

class SumKernel {
  public:
    SumKernel(const Op &op, Product product, TensorValue &result)
        : m_op(op), m_product(std::move(product)), m_result(result), m_strides(rowMajorStrides(result.shape)) {
        if (m_product.factors.size() == 1) m_product.factors.push_back(ones());
        chooseBlockAxis();
        makeTables();
    }

    [[nodiscard]] size_t tasks() const { return static_cast<size_t>(m_blocks * m_others); }

    void run(size_t task) const {
        // Blocks are the slow coordinate: consecutive tasks share the panel of the factor that moves along the block.
        int64_t rest = static_cast<int64_t>(task) % m_others;
        const int64_t first = static_cast<int64_t>(task) / m_others * kBlock;
        const int64_t width = std::min(kBlock, m_blockExtent - first);
        int64_t offset[2] = {m_product.factors[0].base, m_product.factors[1].base};
        int64_t out = 0;
        const auto move = [&](size_t axis, int64_t position) {
            for (int f = 0; f < 2; ++f) offset[f] += m_product.factors[static_cast<size_t>(f)].spatial[axis] * position;
            out += m_strides[axis] * position;
        };
        for (size_t axis = m_op.axes.size(); axis-- > 0;) {
            if (static_cast<int>(axis) == m_blockAxis) {
                move(axis, first);
                continue;
            }
            move(axis, rest % m_op.axes[axis].extent);
            rest /= m_op.axes[axis].extent;
        }
        double sums[kBlock] = {};
        accumulate(offset, width, sums);
        const int64_t step = m_blockAxis < 0 ? 0 : m_strides[static_cast<size_t>(m_blockAxis)];
        for (int64_t w = 0; w < width; ++w)
            m_result.floats[static_cast<size_t>(out + w * step)] =
                roundToType(sums[w] * m_product.scale, m_result.dtype);
    }

  private:
    Factor ones() const {
        static const double one = 1;
        return {&one, 0, std::vector<int64_t>(m_op.axes.size(), 0), std::vector<int64_t>(m_op.reduceRank(), 0)};
    }

    void chooseBlockAxis() {
        int64_t best = 0;
        for (size_t axis = 0; axis < m_op.axes.size(); ++axis) {
            int64_t score = std::min(m_op.axes[axis].extent, kBlock) - 1;
            for (const Factor &factor : m_product.factors)
                if (factor.spatial[axis] == 0 || factor.spatial[axis] == 1) score *= 16;
            if (score <= best) continue;
            best = score;
            m_blockAxis = static_cast<int>(axis);
        }
        for (size_t axis = 0; axis < m_op.axes.size(); ++axis)
            if (static_cast<int>(axis) != m_blockAxis) m_others *= m_op.axes[axis].extent;
        if (m_blockAxis >= 0) m_blockExtent = m_op.axes[static_cast<size_t>(m_blockAxis)].extent;
        m_blocks = (m_blockExtent + kBlock - 1) / kBlock;
    }

    void makeTables() {
        const auto &axes = m_op.reduction->axes;
        int64_t points = 1;
        m_firstTabled = axes.size();
        while (m_firstTabled > 0 && points * axes[m_firstTabled - 1].extent <= kTableLimit)
            points *= axes[--m_firstTabled].extent;
        for (int f = 0; f < 2; ++f) {
            m_table[f] = {0};
            for (size_t r = m_firstTabled; r < axes.size(); ++r) {
                std::vector<int64_t> next;
                next.reserve(m_table[f].size() * static_cast<size_t>(axes[r].extent));
                for (const int64_t start : m_table[f])
                    for (int64_t i = 0; i < axes[r].extent; ++i)
                        next.push_back(start + i * m_product.factors[static_cast<size_t>(f)].reduce[r]);
                m_table[f] = std::move(next);
            }
        }
        for (size_t r = 0; r < m_firstTabled; ++r) m_outerPoints *= axes[r].extent;
    }

    void accumulate(const int64_t (&offset)[2], int64_t width, double *sums) const {
        const auto &axes = m_op.reduction->axes;
        for (int64_t outer = 0; outer < m_outerPoints; ++outer) {
            const double *a = m_product.factors[0].data + offset[0];
            const double *b = m_product.factors[1].data + offset[1];
            int64_t rest = outer;
            for (size_t r = m_firstTabled; r-- > 0;) {
                const int64_t position = rest % axes[r].extent;
                rest /= axes[r].extent;
                a += m_product.factors[0].reduce[r] * position;
                b += m_product.factors[1].reduce[r] * position;
            }
            accumulateTable(a, b, width, sums);
        }
    }

    void accumulateTable(const double *a, const double *b, int64_t width, double *sums) const {
        const int64_t stepA = m_blockAxis < 0 ? 0 : m_product.factors[0].spatial[static_cast<size_t>(m_blockAxis)];
        const int64_t stepB = m_blockAxis < 0 ? 0 : m_product.factors[1].spatial[static_cast<size_t>(m_blockAxis)];
        const size_t points = m_table[0].size();
        const int64_t *atA = m_table[0].data(), *atB = m_table[1].data();
        const auto loop = [&](auto &&body) {
            for (size_t p = 0; p < points; ++p) body(a + atA[p], b + atB[p]);
        };
        if (stepA == 0 && stepB == 1)
            loop([&](const double *x, const double *y) {
                const double factor = *x;
                for (int64_t w = 0; w < width; ++w) sums[w] += factor * y[w];
            });
        else if (stepA == 1 && stepB == 0)
            loop([&](const double *x, const double *y) {
                const double factor = *y;
                for (int64_t w = 0; w < width; ++w) sums[w] += x[w] * factor;
            });
        else if (stepA == 1 && stepB == 1)
            loop([&](const double *x, const double *y) {
                for (int64_t w = 0; w < width; ++w) sums[w] += x[w] * y[w];
            });
        else
            loop([&](const double *x, const double *y) {
                for (int64_t w = 0; w < width; ++w) sums[w] += x[w * stepA] * y[w * stepB];
            });
    }

    const Op &m_op;
    Product m_product;
    TensorValue &m_result;
    std::vector<int64_t> m_strides;
    int m_blockAxis = -1;
    int64_t m_blockExtent = 1, m_blocks = 1, m_others = 1, m_outerPoints = 1;
    size_t m_firstTabled = 0;
    std::vector<int64_t> m_table[2];
};

} // namespace

bool sumOfProducts(const Op &op, const ExprProgram::TensorValues &values, TensorValue &result, ThreadPool &pool) {
    if (!op.reduction || op.reduction->condition || op.body.size() != 1 || !isFloat(op.output().dtype) ||
        reduceKind(op.reduction->combiner) != ReduceKind::Sum)
        return false;
    const Expr identity = op.reduction->combiner.identity[0];
    if (identity->kind != ExprKind::FloatImm || identity->floatValue != 0) return false;
    ExprProgram program(op.name, values);
    for (const Axis &axis : op.axes) program.addAxis(axis);
    for (const Axis &axis : op.reduction->axes) program.addAxis(axis);
    Product product;
    if (!collect(op.body[0], program, op, product) || product.factors.empty()) return false;
    const SumKernel kernel(op, std::move(product), result);
    pool.forEach(kernel.tasks(), [&](size_t task, int) { kernel.run(task); });
    return true;
}

} // namespace loopscope
