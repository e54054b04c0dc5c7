#include "measure/baselines/recognise.h"

#include "measure/baselines/recognise_parts.h"

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

/// The element-wise tail, in the order it is applied, as far as it is a per-channel vector, a tensor of the result's
/// shape or an activation.
struct TailStep {
    enum class Kind : uint8_t { Add, Multiply, AddResidual, Relu, AtMost, Gelu } kind;
    const Tensor *vector = nullptr; // or the residual
    int axis = -1;                  // of the result: which one indexes the vector
    double most = 0;
};

/// Whether the load reads its tensor at the op's own point: index i is axis i.
bool readsOwnPoint(Expr load, const Op &op) {
    if (load->operands().size() != op.axes.size()) return false;
    for (size_t i = 0; i < op.axes.size(); ++i)
        if (!load->arg(i).is(op.axes[i].var) && !(op.axes[i].extent == 1 && isInt(load->arg(i), 0))) return false;
    return true;
}

/// Whether it has an element for each of the op's results and is read at the op's own point: it then lies as they do.
bool liesAsResult(Expr load, const Op &op) {
    const auto &shape = asTensor(load->symbol).shape;
    if (shape.size() != op.axes.size() || !readsOwnPoint(load, op)) return false;
    for (size_t i = 0; i < shape.size(); ++i)
        if (shape[i] != op.axes[i].extent) return false;
    return true;
}

/// x of x / 2 * (1 + erf(x / sqrt(2))); null where it is something else.
Expr geluArgument(Expr e) {
    if (e->kind != ExprKind::Mul || e->dtype != DType::Float32 || e->arg(0)->kind != ExprKind::Mul) return {};
    const Expr x = e->arg(0)->arg(0);
    const Expr gelu =
        x * makeFloat(0.5) * (makeFloat(1) + callMath(Intrinsic::Erf, x * makeFloat(0.70710678118654752)));
    return structurallyEqual(e, gelu) ? x : Expr();
}

/// A vector over one axis of the op, its other dimensions of extent 1: the axis, or -1.
int vectorAxis(Expr load, const Op &op) {
    int found = -1;
    const auto &shape = asTensor(load->symbol).shape;
    for (size_t d = 0; d < shape.size(); ++d) {
        if (isInt(load->arg(d), 0) && shape[d] == 1) continue;
        for (size_t i = 0; i < op.axes.size(); ++i) {
            if (!load->arg(d).is(op.axes[i].var)) continue;
            if (op.axes[i].extent == 1 && shape[d] == 1 && found >= 0) break;
            if (shape[d] != op.axes[i].extent || (found >= 0 && op.axes[size_t(found)].extent > 1)) return -1;
            found = int(i);
        }
    }
    return found;
}

Refusal unknownTail(const Op &op, Expr e) {
    return Refusal{"no library fuses " + toText(e) + " (in " + op.name +
                   ") behind a product or a convolution: bias, scale, offset, a residual, relu and gelu are known"};
}

/// Peels the body of `op` down to the op with the reduction, collecting the steps outermost last.
Outcome<const Op *> peelTail(const Op &op, std::vector<TailStep> &steps) {
    const Op *current = &op;
    while (!current->reduction) {
        if (current->isPlaceholder() || current->outputs.size() != 1)
            return Refusal{"the workload has no reduction, so no library primitive computes it"};
        Expr e = current->body[0];
        const Op *next = nullptr;
        while (next == nullptr) {
            if (e->kind == ExprKind::Load) {
                if (!readsOwnPoint(e, *current)) return unknownTail(*current, e);
                next = asTensor(e->symbol).op;
                break;
            }
            if (const Expr argument = geluArgument(e)) {
                steps.push_back({TailStep::Kind::Gelu});
                e = argument;
                continue;
            }
            if (e->kind != ExprKind::Add && e->kind != ExprKind::Mul && e->kind != ExprKind::Max &&
                e->kind != ExprKind::Min)
                return unknownTail(*current, e);
            // One side goes on towards the reduction, the other is of a placeholder or a limit.
            bool peeled = false;
            for (const size_t side : {size_t(1), size_t(0)}) {
                const Expr other = e->arg(side);
                if (e->kind == ExprKind::Max) {
                    if (other->kind != ExprKind::FloatImm || other->floatValue != 0) continue;
                    steps.push_back({TailStep::Kind::Relu});
                } else if (e->kind == ExprKind::Min) {
                    if (other->kind != ExprKind::FloatImm || !(other->floatValue > 0)) continue;
                    steps.push_back({TailStep::Kind::AtMost, nullptr, -1, other->floatValue});
                } else {
                    if (other->kind != ExprKind::Load) continue;
                    const Tensor &vector = asTensor(other->symbol);
                    if (!vector.op->isPlaceholder() || vector.dtype != DType::Float32) continue;
                    const int axis = vectorAxis(other, *current);
                    const bool adds = e->kind == ExprKind::Add;
                    if (axis >= 0)
                        steps.push_back({adds ? TailStep::Kind::Add : TailStep::Kind::Multiply, &vector, axis});
                    else if (adds && liesAsResult(other, *current))
                        steps.push_back({TailStep::Kind::AddResidual, &vector});
                    else
                        continue;
                }
                e = e->arg(1 - side);
                peeled = true;
                break;
            }
            if (!peeled) return unknownTail(*current, e);
        }
        current = next;
    }
    std::reverse(steps.begin(), steps.end());
    return current;
}

/// Fits the steps into bias, scale, offset, residual, activation, in that order. `channelAxis`: the only axis a vector
/// may follow; -1: none.
Outcome<BaselineTail> arrangeTail(const std::vector<TailStep> &steps, int channelAxis, RecognisedProblem &result) {
    BaselineTail tail;
    for (const TailStep &step : steps) {
        const bool vector = step.kind == TailStep::Kind::Add || step.kind == TailStep::Kind::Multiply;
        if (vector && step.axis != channelAxis)
            return Refusal{step.vector->name + " does not follow the output channel, so no library fuses it"};
        const Refusal order{"the element-wise operations behind the reduction are not bias, scale, offset, residual "
                            "and one of relu and gelu in this order, so no library fuses them"};
        const bool limited = std::isfinite(tail.most);
        // The two limits of relu6 come in either order.
        if (tail.gelu || (tail.relu && (limited || step.kind != TailStep::Kind::AtMost)) ||
            (limited && step.kind != TailStep::Kind::Relu))
            return order;
        switch (step.kind) {
        case TailStep::Kind::Add:
            if (tail.offset || tail.residual) return order;
            (tail.bias || tail.scale ? tail.offset : tail.bias) = true;
            (tail.offset ? result.offset : result.bias) = step.vector;
            break;
        case TailStep::Kind::Multiply:
            if (tail.scale || tail.offset || tail.residual) return order;
            tail.scale = true;
            result.scale = step.vector;
            break;
        case TailStep::Kind::AddResidual:
            if (tail.residual) return order;
            tail.residual = true;
            result.residual = step.vector;
            break;
        case TailStep::Kind::Relu:
            tail.relu = true;
            break;
        case TailStep::Kind::AtMost:
            tail.most = static_cast<float>(step.most);
            break;
        case TailStep::Kind::Gelu:
            tail.gelu = true;
            break;
        }
    }
    if (std::isfinite(tail.most) && !tail.relu)
        return Refusal{"what is behind the reduction has an upper limit without the lower one of a relu, so no library "
                       "fuses it"};
    return tail;
}

bool isWeights(const Op &reducer, const Tensor &tensor) {
    const auto found = reducer.attrs.find("layout_free_placeholders");
    if (found == reducer.attrs.end()) return false;
    const auto *names = std::get_if<std::vector<std::string>>(&found->second);
    return names != nullptr && std::find(names->begin(), names->end(), tensor.name) != names->end();
}

} // namespace

Outcome<RecognisedProblem> recognise(const ComputeDag &dag) {
    const auto arena = std::make_shared<ExprArena>();
    const ArenaScope scope(arena);

    RecognisedProblem result;
    for (size_t i = 0; i < dag.size(); ++i) {
        if (dag.op(i).isPlaceholder() || !dag.access(i).isOutput) continue;
        if (result.out != nullptr || dag.op(i).outputs.size() != 1)
            return Refusal{"the workload has several outputs; a library primitive has one"};
        result.out = &dag.op(i).output();
    }
    if (result.out == nullptr) return Refusal{"the workload computes nothing"};
    if (result.out->dtype != DType::Float32)
        return Refusal{result.out->name + " holds " + std::string(dtypeName(result.out->dtype)) +
                       "; the libraries are compared in float32"};

    for (const auto &rows : {recogniseSoftmax(*result.out->op), recogniseNorm(*result.out->op)}) {
        if (!rows) continue;
        if (!*rows) return rows->refusal();
        result.problem = (*rows)->problem;
        result.data = (*rows)->data;
        return result;
    }

    std::vector<TailStep> steps;
    Outcome<const Op *> peeled = peelTail(*result.out->op, steps);
    if (!peeled) return peeled.refusal();
    const Op &reducer = **peeled;
    const Expr source = reducer.body[0];
    if (reducer.outputs.size() != 1 || reduceKind(reducer.reduction->combiner) != ReduceKind::Sum ||
        reducer.reduction->condition || source->kind != ExprKind::Mul)
        return Refusal{reducer.name + " is not a sum of products, so no library primitive computes it"};

    const NestAxes nest(reducer);
    Outcome<OperandAccess> first = resolveOperand(source->arg(0), nest);
    if (!first) return first.refusal();
    Outcome<OperandAccess> second = resolveOperand(source->arg(1), nest);
    if (!second) return second.refusal();

    const bool firstSlides = slides(*first, nest);
    if (firstSlides || slides(*second, nest)) {
        const OperandAccess &data = firstSlides ? *first : *second;
        const OperandAccess &weights = firstSlides ? *second : *first;
        Outcome<RecognisedConv> conv = recogniseConv(data, weights, nest);
        if (!conv) return conv.refusal();
        Outcome<BaselineTail> tail = arrangeTail(steps, conv->channelAxis, result);
        if (!tail) return tail.refusal();
        conv->problem.tail = *tail;
        result.problem = conv->problem;
        result.data = data.tensor;
        result.weights = weights.tensor;
        return result;
    }
    Outcome<RecognisedMatmul> matmul = recogniseMatmul(*first, *second, nest);
    if (!matmul) return matmul.refusal();
    const std::vector<int> &columns = matmul->columnAxes;
    Outcome<BaselineTail> tail = arrangeTail(steps, columns.size() == 1 ? columns[0] : -1, result);
    if (!tail) return tail.refusal();
    matmul->problem.tail = *tail;
    result.data = matmul->swapped ? second->tensor : first->tensor;
    result.weights = matmul->swapped ? first->tensor : second->tensor;
    matmul->problem.constantB = isWeights(reducer, *result.weights);
    result.problem = matmul->problem;
    return result;
}

} // namespace loopscope
