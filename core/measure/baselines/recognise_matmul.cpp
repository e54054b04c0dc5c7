#include "measure/baselines/recognise_parts.h"

#include <algorithm>

namespace loopscope {

namespace {

/// Elements an operand moves by when an axis does; refused where the index is not linear in the axes.
Outcome<std::vector<int64_t>> flatSteps(const OperandAccess &access, const NestAxes &nest) {
    std::vector<int64_t> steps(nest.size(), 0);
    for (size_t d = 0; d < access.indices.size(); ++d) {
        const LinearForm &index = access.indices[d];
        if (index.constant != 0)
            return Refusal{"a matrix product reads whole operands, but " + access.tensor->name +
                           " is read from an offset"};
        for (const LinearTerm &term : index.terms) {
            const int axis = nest.find(term.atom);
            if (axis < 0 || term.coefficient < 0)
                return Refusal{"the index " + toText(term.atom) + " of " + access.tensor->name +
                               " is not linear, as a matrix product needs"};
            steps[size_t(axis)] += term.coefficient * access.stride(d);
        }
    }
    return steps;
}

struct Operands {
    std::vector<int64_t> a, b, c; // steps per axis
};

/// Several axes as one: each outer one must step over exactly the inner ones, in every operand.
struct MergedAxis {
    int64_t extent = 1;
    int64_t a = 0, b = 0, c = 0; // step of the innermost axis
    std::vector<int> axes;
};

Outcome<MergedAxis> merge(const char *role, const std::vector<int> &axes, const Operands &steps, const NestAxes &nest) {
    MergedAxis merged;
    merged.axes = axes;
    for (size_t i = axes.size(); i-- > 0;) {
        const auto axis = size_t(axes[i]);
        if (merged.extent == 1) {
            merged.a = steps.a[axis];
            merged.b = steps.b[axis];
            merged.c = steps.c[axis];
        } else if (steps.a[axis] != merged.a * merged.extent || steps.b[axis] != merged.b * merged.extent ||
                   steps.c[axis] != merged.c * merged.extent) {
            return Refusal{std::string("several axes make up the ") + role +
                           " of the matrix product and do not lie one after the other in memory"};
        }
        merged.extent *= nest.extents[axis];
    }
    return merged;
}

} // namespace

Outcome<RecognisedMatmul> recogniseMatmul(const OperandAccess &first, const OperandAccess &second,
                                          const NestAxes &nest) {
    if (first.padded || second.padded || !first.holes.empty() || !second.holes.empty())
        return Refusal{"the operands of a matrix product are read without conditions"};
    Outcome<std::vector<int64_t>> firstSteps = flatSteps(first, nest);
    if (!firstSteps) return firstSteps.refusal();
    Outcome<std::vector<int64_t>> secondSteps = flatSteps(second, nest);
    if (!secondSteps) return secondSteps.refusal();

    Operands steps{*firstSteps, *secondSteps, std::vector<int64_t>(nest.size(), 0)};
    int64_t elements = 1;
    for (size_t axis = nest.spatialCount; axis-- > 0;) {
        steps.c[axis] = elements;
        elements *= nest.extents[axis];
    }

    // An axis belongs to what indexes it: both operands and the result = batch, one of them = rows or columns.
    std::vector<int> batch;
    std::vector<int> onlyFirst;
    std::vector<int> onlySecond;
    std::vector<int> summed;
    for (size_t i = 0; i < nest.size(); ++i) {
        if (nest.extents[i] == 1) continue;
        const int axis = int(i);
        const bool inFirst = steps.a[i] != 0;
        const bool inSecond = steps.b[i] != 0;
        if (!inFirst && !inSecond)
            return Refusal{"axis " + std::string(nest.vars[i]->name()) + " of " + nest.op->name +
                           " indexes neither operand"};
        if (nest.isReduce(axis)) {
            if (!inFirst || !inSecond)
                return Refusal{"the sum over " + std::string(nest.vars[i]->name()) +
                               " moves one operand only; a matrix product moves both"};
            summed.push_back(axis);
        } else {
            (inFirst && inSecond ? batch : inFirst ? onlyFirst : onlySecond).push_back(axis);
        }
    }

    RecognisedMatmul result;
    // The columns are what lies innermost in the result.
    result.swapped = !onlyFirst.empty() && !onlySecond.empty() && onlyFirst.back() > onlySecond.back();
    if (result.swapped) {
        std::swap(onlyFirst, onlySecond);
        std::swap(steps.a, steps.b);
    }

    Outcome<MergedAxis> images = merge("batch", batch, steps, nest);
    Outcome<MergedAxis> rows = merge("rows", onlyFirst, steps, nest);
    Outcome<MergedAxis> columns = merge("columns", onlySecond, steps, nest);
    Outcome<MergedAxis> depth = merge("summed dimension", summed, steps, nest);
    for (const Outcome<MergedAxis> *part : {&images, &rows, &columns, &depth})
        if (!*part) return part->refusal();

    MatmulProblem &problem = result.problem;
    problem.batch = images->extent;
    problem.m = rows->extent;
    problem.n = columns->extent;
    problem.k = depth->extent;
    // A dimension of one element has no neighbours; its stride is what a dense operand would have.
    auto stride = [](const MergedAxis &axis, int64_t own, int64_t dense) { return axis.extent == 1 ? dense : own; };
    problem.a = {images->a, stride(*rows, rows->a, problem.k), stride(*depth, depth->a, 1)};
    problem.b = {images->b, stride(*depth, depth->b, problem.n), stride(*columns, columns->b, 1)};
    problem.c = {images->c, stride(*rows, rows->c, problem.n), stride(*columns, columns->c, 1)};
    result.columnAxes = columns->axes;
    return result;
}

} // namespace loopscope
