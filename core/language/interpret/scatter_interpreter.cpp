#include "language/interpret/scatter_interpreter.h"

#include "base/check.h"
#include "language/dag/affine_offset.h"
#include "language/expr/extreme.h"
#include "language/expr/half.h"
#include "language/expr/walk.h"
#include "language/interpret/error_bound.h"
#include "language/interpret/grain.h"
#include "language/interpret/op_interpreter.h"
#include "language/interpret/scalar_ops.h"

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

constexpr int64_t kMaxTerms = int64_t{1} << 22; // computed before they are added

TensorValue zeroesOf(const Tensor &tensor) {
    TensorValue value{tensor.dtype, tensor.shape, {}, {}, {}};
    if (isFloat(tensor.dtype))
        value.floats.resize(value.size());
    else
        value.integers.resize(value.size());
    return value;
}

/// Where the terms of one element of the result have come to.
struct Total {
    SumFacts facts;
    double value = 0;
    uint64_t bits = 0;    // of integers
    double undecided = 0; // terms that rounding may have sent elsewhere, or here
};

class ScatterInterpreter {
  public:
    ScatterInterpreter(const Op &op, const Scatter &scatter, TermSigns signs, TensorValue &result)
        : m_op(op), m_scatter(scatter), m_result(result), m_kind(reduceKind(op.reduction->combiner)),
          m_floats(isFloat(result.dtype)), m_totals(result.size()), m_strides(rowMajorStrides(op.shape())) {
        for (size_t a = 0; a < op.axes.size(); ++a)
            if (scatter.along(a) == nullptr) {
                m_axes.push_back(op.axes[a]);
                m_steps.push_back(m_strides[a]);
            }
        for (const Axis &axis : op.reduction->axes) {
            m_axes.push_back(axis);
            m_steps.push_back(0);
        }
        const Expr identity = op.reduction->combiner.identity[0];
        for (Total &total : m_totals) {
            total.facts = {0, 0, 0, 0, signs == TermSigns::Followed, std::numeric_limits<double>::infinity(), 0};
            total.value = m_floats ? identity->floatValue : 0;
            total.facts.sum = m_floats && m_kind == ReduceKind::Sum ? identity->floatValue : 0;
            total.bits = m_floats ? 0 : static_cast<uint64_t>(identity->intValue);
        }
    }

    void run(const LaneProgram::TensorValues &values, ThreadPool &pool) {
        int64_t terms = 1;
        for (const Axis &axis : m_axes) terms *= axis.extent;
        const int64_t extent = m_axes[0].extent;
        const int64_t slice = std::clamp<int64_t>(kMaxTerms / std::max<int64_t>(1, terms / extent), 1, extent);
        for (int64_t begin = 0; begin < extent; begin += slice)
            addSlice(begin, std::min(extent, begin + slice), values, pool);
        finish();
    }

  private:
    /// Terms and places for values [begin, end) of the first axis, as the outputs of an op without a reduction.
    OpPtr termsOf(int64_t begin, int64_t end) const {
        std::vector<Axis> axes = m_axes;
        axes[0] = {makeVar(m_axes[0].name(), m_axes[0].var->dtype), end - begin};
        const Expr first = makeBinary(ExprKind::Add, axes[0].var, makeInt(begin, axes[0].var->dtype));
        const Substitution toSlice = {{m_axes[0].var.node(), first}};
        const Expr condition = m_scatter.condition;
        const auto where = [&](Expr value, Expr otherwise) {
            const Expr here = substitute(value, toSlice);
            if (!condition) return here;
            const std::array<Expr, 3> cases = {substitute(condition, toSlice), here, otherwise};
            return makeCall(Intrinsic::IfThenElse, value->dtype, cases);
        };
        const DType type = m_result.dtype;
        std::vector<Expr> values = {where(m_op.body[0], m_floats ? makeFloat(0, type) : makeInt(0, type))};
        for (const ScatterPlace &place : m_scatter.places)
            values.push_back(where(place.index, makeInt(-1, place.index->dtype)));
        return makeCompute(m_op.name, std::move(axes), std::move(values));
    }

    void addSlice(int64_t begin, int64_t end, const LaneProgram::TensorValues &values, ThreadPool &pool) {
        const ArenaPtr arena = std::make_shared<ExprArena>();
        const ArenaScope scope(arena);
        const OpPtr op = termsOf(begin, end);
        std::vector<TensorValue> terms;
        for (const auto &output : op->outputs) terms.push_back(zeroesOf(*output));
        interpretGenerally(*op, values, TermSigns::Followed, terms, pool);
        m_grain = m_floats ? grainOf(terms[0]).grain : 0;
        std::vector<int64_t> at(m_axes.size(), 0);
        int64_t element = begin * m_steps[0];
        for (size_t i = 0; i < terms[0].size(); ++i) {
            addTerm(terms, i, element);
            for (size_t a = at.size(); a-- > 0;) {
                element += m_steps[a];
                if (++at[a] < op->axes[a].extent) break;
                element -= m_steps[a] * at[a];
                at[a] = 0;
            }
        }
    }

    void addTerm(const std::vector<TensorValue> &terms, size_t i, int64_t element) {
        bool undecided = false;
        for (size_t p = 0; p < m_scatter.places.size(); ++p) {
            const int64_t place = terms[p + 1].integers[i];
            if (place < 0) return; // its condition does not hold
            element += m_strides[m_scatter.places[p].axis] * place;
            undecided = undecided || (!terms[p + 1].bounds.empty() && terms[p + 1].bounds[i] > 0);
        }
        const double error = terms[0].bounds.empty() ? 0 : terms[0].bounds[i];
        const double value = m_floats ? terms[0].floats[i] : static_cast<double>(terms[0].integers[i]);
        if (undecided) spread(terms, i, element, value);
        Total &total = m_totals[static_cast<size_t>(element)];
        if (m_floats)
            addFloat(total, value, error);
        else
            addInteger(total, terms[0].integers[i], error);
    }

    /// The term may go to the elements around, as far as the bounds of its places reach.
    void spread(const std::vector<TensorValue> &terms, size_t i, int64_t element, double value) {
        for (size_t p = 0; p < m_scatter.places.size(); ++p) {
            const ScatterPlace &place = m_scatter.places[p];
            const int64_t here = terms[p + 1].integers[i];
            const int64_t last = m_op.axes[place.axis].extent - 1;
            const double bound = terms[p + 1].bounds.empty() ? 0 : terms[p + 1].bounds[i];
            const auto reach = static_cast<int64_t>(std::min(std::ceil(bound), static_cast<double>(last)));
            for (int64_t other = std::max<int64_t>(0, here - reach); other <= std::min(last, here + reach); ++other)
                m_totals[static_cast<size_t>(element + (other - here) * m_strides[place.axis])].undecided +=
                    m_kind == ReduceKind::Sum ? std::fabs(value) : std::numeric_limits<double>::infinity();
        }
    }

    void addFloat(Total &total, double value, double error) const {
        SumFacts &facts = total.facts;
        facts.points += 1;
        if (m_kind == ReduceKind::Sum) {
            facts.sum += value;
            facts.squares += finiteSquare(value);
            facts.termErrors += error;
            facts.magnitudes += std::fabs(value);
            facts.grain = std::min(facts.grain, m_grain);
            return;
        }
        if (m_kind == ReduceKind::Prod) {
            const double before = total.value;
            total.value *= value;
            facts.termErrors = settledError(total.value, before, facts.termErrors, value, error,
                                            productError(before, facts.termErrors, value, error) +
                                                RoundingStep::to(m_result.dtype)(total.value));
            return;
        }
        const bool most = m_kind == ReduceKind::Max;
        const double chosen = most ? greaterOf(total.value, value) : lesserOf(total.value, value);
        facts.termErrors = minMostError(most, total.value, facts.termErrors, value, error, chosen);
        total.value = chosen;
    }

    void addInteger(Total &total, int64_t value, double error) const {
        total.facts.termErrors += error;
        const auto before = static_cast<int64_t>(total.bits);
        switch (m_kind) {
        case ReduceKind::Sum:
            total.bits += static_cast<uint64_t>(value);
            return;
        case ReduceKind::Prod:
            total.bits *= static_cast<uint64_t>(value);
            return;
        case ReduceKind::Min:
            total.bits = static_cast<uint64_t>(std::min(before, value));
            return;
        default:
            total.bits = static_cast<uint64_t>(std::max(before, value));
        }
    }

    [[nodiscard]] double errorOf(const Total &total) const {
        if (m_floats && m_kind == ReduceKind::Sum) return sumError(total.facts, m_result.dtype) + total.undecided;
        return total.facts.termErrors + total.undecided;
    }

    void finish() {
        const RoundingStep rounding = RoundingStep::to(m_result.dtype);
        m_result.bounds.resize(m_totals.size());
        for (size_t i = 0; i < m_totals.size(); ++i) {
            const Total &total = m_totals[i];
            const double value = m_kind == ReduceKind::Sum ? total.facts.sum : total.value;
            if (m_floats)
                m_result.floats[i] = roundToType(value, m_result.dtype);
            else
                m_result.integers[i] = wrapToType(static_cast<int64_t>(total.bits), m_result.dtype);
            const double error = errorOf(total);
            m_result.bounds[i] = error == 0 ? 0 : storedBound(error, m_floats ? m_result.floats[i] : 0, rounding);
        }
    }

    const Op &m_op;
    const Scatter &m_scatter;
    TensorValue &m_result;
    ReduceKind m_kind;
    bool m_floats;
    std::vector<Total> m_totals;
    std::vector<int64_t> m_strides; // of the result
    std::vector<Axis> m_axes;       // of the terms
    std::vector<int64_t> m_steps;   // in the result, by axis of the terms
    double m_grain = 0;             // of the terms of a slice
};

} // namespace

void interpretScatter(const Op &op, const Scatter &scatter, const LaneProgram::TensorValues &values, TermSigns signs,
                      std::vector<TensorValue> &results, ThreadPool &pool) {
    LOOPSCOPE_CHECK(op.body.size() == 1 && reduceKind(op.reduction->combiner) != ReduceKind::Other,
                    "a scatter of '" + op.name + "' combines in a way of its own");
    ScatterInterpreter(op, scatter, signs, results[0]).run(values, pool);
}

} // namespace loopscope
