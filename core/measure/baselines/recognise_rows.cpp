// Softmax of rows and 2-norms: what reduces whole rows of one operand.
#include "measure/baselines/recognise_parts.h"

#include "language/expr/walk.h"

#include <algorithm>
#include <utility>

namespace loopscope {

namespace {

Expr bodyAt(const Op &op, Expr load) {
    Substitution point;
    for (size_t i = 0; i < op.axes.size(); ++i) point.emplace_back(op.axes[i].var.node(), load->arg(i));
    return substitute(op.body[0], point);
}

/// The value behind the stages that only store it, so that exponentials with and without a stage of their own are one.
Expr seenThrough(Expr e) {
    while (e->kind == ExprKind::Load) {
        const Op &producer = *asTensor(e->symbol).op;
        if (producer.isPlaceholder() || producer.reduction || producer.outputs.size() != 1) break;
        e = bodyAt(producer, e);
    }
    return e;
}

/// The op whose plain reduction of this kind the expression is an element of, or null.
const Op *reducerOf(Expr e, ReduceKind kind) {
    if (e->kind != ExprKind::Load) return nullptr;
    const Op &op = *asTensor(e->symbol).op;
    const bool plain = op.reduction && op.outputs.size() == 1 && !op.reduction->condition &&
                       reduceKind(op.reduction->combiner) == kind;
    return plain ? &op : nullptr;
}

bool isCallOf(Expr e, Intrinsic intrinsic) { return e->kind == ExprKind::Call && e->intrinsic == intrinsic; }

bool isArgument(Expr e) { return e->kind == ExprKind::Load && asTensor(e->symbol).op->isPlaceholder(); }

void addRanges(const std::vector<Axis> &axes, std::vector<VarRange> &ranges) {
    for (const Axis &axis : axes) ranges.push_back({axis.var.node(), Interval::upTo(axis.extent)});
}

/// The element's number in memory.
LinearForm flatIndex(const std::vector<int64_t> &shape, std::span<const Expr> indices, VarRanges ranges) {
    LinearForm flat;
    int64_t step = 1;
    for (size_t d = shape.size(); d-- > 0;) {
        addScaled(flat, linearForm(indices[d], ranges), step);
        step *= shape[d];
    }
    return flat;
}

std::vector<Expr> varsOfAxes(const Op &op) {
    std::vector<Expr> vars;
    for (const Axis &axis : op.axes) vars.push_back(axis.var);
    return vars;
}

/// exp(x - max)/sum at one point of the result, everything written in the result's axes: the axis that a reduction goes
/// along is replaced by the row's, where it must read what the point itself reads.
class SoftmaxMatch {
  public:
    explicit SoftmaxMatch(const Op &out) : m_out(out), m_row(out.axes.back()) {
        addRanges(out.axes, m_ranges);
        m_point = flatIndex(out.shape(), varsOfAxes(out), m_ranges);
    }

    Outcome<RecognisedRows> match(Expr numerator, Expr denominator) {
        if (auto wrong = matchExponential(numerator, m_out)) return *wrong;
        const Outcome<Expr> added = alongRow(denominator, *reducerOf(denominator, ReduceKind::Sum));
        if (!added) return added.refusal();
        if (auto wrong = matchExponential(*added, *asTensor(denominator->symbol).op)) return *wrong;
        int64_t rows = 1;
        for (size_t i = 0; i + 1 < m_out.axes.size(); ++i) rows *= m_out.axes[i].extent;
        return RecognisedRows{SoftmaxProblem{rows, m_row.extent}, m_data};
    }

  private:
    /// What the reduction reads for its element `load`.
    Outcome<Expr> alongRow(Expr load, const Op &reducer) const {
        const std::vector<Axis> &along = reducer.reduction->axes;
        const Expr source = bodyAt(reducer, load);
        if (along.size() != 1 || along[0].extent != m_row.extent || usesVar(source, m_row.var))
            return Refusal{"the libraries' softmax is compared along contiguous rows, but " + reducer.name +
                           " does not reduce the last dimension of " + m_out.name + ", and that alone and whole"};
        return substitute(source, {{along[0].var.node(), m_row.var}});
    }

    std::optional<Refusal> matchExponential(Expr e, const Op &op) {
        const Expr exponential = seenThrough(e);
        if (!isCallOf(exponential, Intrinsic::Exp))
            return Refusal{"a softmax divides exponentials by their sum, but " + op.name + " takes " +
                           toText(exponential)};
        const Expr exponent = seenThrough(exponential->arg(0));
        const Expr largest = exponent->kind == ExprKind::Sub ? seenThrough(exponent->arg(1)) : Expr();
        const Op *maximum = largest ? reducerOf(largest, ReduceKind::Max) : nullptr;
        if (maximum == nullptr)
            return Refusal{"the libraries' softmax subtracts the largest element of the row before exp, but " +
                           op.name + " takes the exp of " + toText(exponent)};
        const Outcome<Expr> compared = alongRow(largest, *maximum);
        if (!compared) return compared.refusal();
        for (const Expr value : {seenThrough(exponent->arg(0)), seenThrough(*compared)})
            if (auto wrong = matchData(value)) return wrong;
        return std::nullopt;
    }

    std::optional<Refusal> matchData(Expr value) {
        if (!isArgument(value))
            return Refusal{"a library takes the softmax of an operand as it is, but " + m_out.name + " takes it of " +
                           toText(value)};
        const Tensor &tensor = asTensor(value->symbol);
        if (m_data != nullptr && m_data != &tensor)
            return Refusal{"a softmax has one operand, but " + m_out.name + " reads " + m_data->name + " and " +
                           tensor.name};
        m_data = &tensor;
        const LinearForm read = flatIndex(tensor.shape, value->operands(), m_ranges);
        if (constantDifference(read, m_point) != std::optional<int64_t>(0))
            return Refusal{"a library's softmax lies in memory as its operand does, but " + m_out.name + " reads " +
                           toText(value)};
        return std::nullopt;
    }

    const Op &m_out;
    const Axis &m_row;
    std::vector<VarRange> m_ranges;
    LinearForm m_point;
    const Tensor *m_data = nullptr;
};

/// Whether the sum reads `count` neighbouring elements, in any order of its axes, for each element of the result, and
/// these follow one another.
bool readsNeighbours(Expr value, const Op &out, const std::vector<Axis> &summed) {
    std::vector<VarRange> ranges;
    addRanges(out.axes, ranges);
    addRanges(summed, ranges);
    LinearForm rest = flatIndex(value->symbol->shape, value->operands(), ranges);
    std::vector<std::pair<int64_t, const Axis *>> steps;
    for (const Axis &axis : summed)
        if (axis.extent > 1) steps.emplace_back(rest.coefficientOf(axis.var), &axis);
    std::sort(steps.begin(), steps.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    int64_t count = 1;
    for (const auto &[step, axis] : steps) {
        if (step != count) return false;
        addScaled(rest, linearForm(axis->var, ranges), -step);
        count *= axis->extent;
    }
    addScaled(rest, flatIndex(out.shape(), varsOfAxes(out), ranges), -count);
    return rest.isConstant() && rest.constant == 0;
}

Outcome<RecognisedRows> matchNorm(const Op &out, Expr rooted) {
    const Op *reducer = reducerOf(rooted, ReduceKind::Sum);
    if (reducer == nullptr)
        return Refusal{"a library's norm is the root of a sum of squares, but " + out.name + " takes the root of " +
                       toText(rooted)};
    const Expr square = seenThrough(bodyAt(*reducer, rooted));
    const Expr value = square->kind == ExprKind::Mul ? seenThrough(square->arg(0)) : Expr();
    if (!value || !structurallyEqual(value, seenThrough(square->arg(1))))
        return Refusal{"a library's norm is the root of a sum of squares, but " + reducer->name + " adds up " +
                       toText(square)};
    if (!isArgument(value))
        return Refusal{"a library takes the norm of an operand as it is, but " + reducer->name + " squares " +
                       toText(value)};
    const std::vector<Axis> &summed = reducer->reduction->axes;
    if (!readsNeighbours(value, out, summed))
        return Refusal{"the libraries' norm is compared on contiguous elements, one batch after the other, but " +
                       reducer->name + " reads " + toText(value)};
    NormProblem problem;
    for (const Axis &axis : out.axes) problem.batch *= axis.extent;
    for (const Axis &axis : summed) problem.count *= axis.extent;
    return RecognisedRows{problem, &asTensor(value->symbol)};
}

} // namespace

std::optional<Outcome<RecognisedRows>> recogniseSoftmax(const Op &out) {
    if (out.reduction || out.axes.empty()) return std::nullopt;
    const Expr quotient = seenThrough(out.body[0]);
    if (quotient->kind != ExprKind::Div) return std::nullopt;
    const Expr denominator = seenThrough(quotient->arg(1));
    if (reducerOf(denominator, ReduceKind::Sum) == nullptr) return std::nullopt;
    return SoftmaxMatch(out).match(quotient->arg(0), denominator);
}

std::optional<Outcome<RecognisedRows>> recogniseNorm(const Op &out) {
    if (out.reduction) return std::nullopt;
    const Expr root = seenThrough(out.body[0]);
    if (!isCallOf(root, Intrinsic::Sqrt)) return std::nullopt;
    return matchNorm(out, seenThrough(root->arg(0)));
}

} // namespace loopscope
