#include "measure/baselines/recognise_parts.h"

#include "language/expr/walk.h"

#include <algorithm>

namespace loopscope {

namespace {

Refusal notConv(const NestAxes &nest, const std::string &why) {
    return Refusal{nest.op->name + " is not a convolution a library has: " + why};
}

/// One index taken apart: output axis, reduce axis, and the quotient or remainder of an output axis.
struct IndexParts {
    int spatial = -1, reduce = -1;
    int64_t spatialStep = 0, reduceStep = 0;
    int quotientOf = -1; // floordiv(axis, quotientBy) * quotientStep
    int64_t quotientBy = 1, quotientStep = 0;
    int remainderOf = -1;
    int64_t constant = 0;
    /// floordiv(output axis + reduce axis + hole.constant, hole divisor): the index of a dilated operand.
    int64_t dilatedBy = 0;
    int64_t dilatedFrom = 0;
    LinearForm dilatedValue;
};

/// False for an index no convolution has.
bool takeApart(const LinearForm &index, const NestAxes &nest, IndexParts &parts) {
    parts.constant = index.constant;
    for (const LinearTerm &term : index.terms) {
        const int axis = nest.find(term.atom);
        if (axis >= 0 && nest.isReduce(axis)) {
            if (parts.reduce >= 0) return false;
            parts.reduce = axis;
            parts.reduceStep = term.coefficient;
            continue;
        }
        if (axis >= 0) {
            if (parts.spatial >= 0) return false;
            parts.spatial = axis;
            parts.spatialStep = term.coefficient;
            continue;
        }
        const ExprKind kind = term.atom->kind;
        const bool quotient = kind == ExprKind::FloorDiv || kind == ExprKind::Div;
        const bool remainder = kind == ExprKind::FloorMod || kind == ExprKind::Mod;
        if ((!quotient && !remainder) || term.atom->arg(1)->kind != ExprKind::IntImm) return false;
        const LinearForm inner = linearForm(term.atom->arg(0), nest.ranges);
        const int64_t divisor = term.atom->arg(1)->intValue;
        if (inner.terms.size() == 1 && inner.constant == 0 && inner.terms[0].coefficient == 1) {
            const int of = nest.find(inner.terms[0].atom);
            if (of < 0 || nest.isReduce(of)) return false;
            if (remainder) {
                if (parts.remainderOf >= 0 || term.coefficient != 1) return false;
                parts.remainderOf = of;
            } else {
                if (parts.quotientOf >= 0) return false;
                parts.quotientOf = of;
                parts.quotientStep = term.coefficient;
            }
            parts.quotientBy = divisor;
            continue;
        }
        if (!quotient || parts.dilatedBy != 0 || term.coefficient != 1 || inner.terms.size() != 2) return false;
        for (const LinearTerm &innerTerm : inner.terms) {
            const int of = nest.find(innerTerm.atom);
            if (of < 0 || innerTerm.coefficient != 1) return false;
            (nest.isReduce(of) ? parts.reduce : parts.spatial) = of;
        }
        if (parts.reduce < 0 || parts.spatial < 0) return false;
        parts.dilatedBy = divisor;
        parts.dilatedFrom = inner.constant;
        parts.dilatedValue = inner;
    }
    return true;
}

/// What each axis of the nest does, as the data's indices tell.
struct Roles {
    int batchAxis = -1, batchDimension = -1;
    int channelDimension = -1;
    int inChannelAxis = -1; // reduce axis; -1: one input channel per group
    IndexParts channel;
    struct Spatial {
        size_t dimension;
        int out, tap; // axes; tap -1: a kernel of 1
        ConvAxis axis;
        int64_t dilatedFrom = 0; // transposed
    };
    std::vector<Spatial> spatial;
    bool transposed = false;
};

Outcome<Roles> dataRoles(const OperandAccess &data, const OperandAccess &weights, const NestAxes &nest) {
    Roles roles;
    size_t holesUsed = 0;
    for (size_t d = 0; d < data.indices.size(); ++d) {
        IndexParts parts;
        if (!takeApart(data.indices[d], nest, parts) || parts.remainderOf >= 0)
            return notConv(nest, "dimension " + std::to_string(d) + " of " + data.tensor->name +
                                     " is indexed in a way no convolution has");
        const int64_t extent = data.tensor->shape[d];
        const bool channelLike = parts.quotientOf >= 0 || (parts.spatial < 0 && parts.reduce >= 0) ||
                                 (parts.spatial >= 0 && parts.reduce < 0 && weights.uses(nest, parts.spatial));
        if (channelLike) {
            if (roles.channelDimension >= 0) return notConv(nest, data.tensor->name + " has two channel dimensions");
            if (parts.constant != 0 || (parts.reduce >= 0 && parts.reduceStep != 1) ||
                (parts.spatial >= 0 && (parts.spatialStep != 1 || parts.reduce >= 0)))
                return notConv(nest, "the channels of " + data.tensor->name + " are not read one after the other");
            roles.channelDimension = int(d);
            roles.inChannelAxis = parts.reduce;
            roles.channel = parts;
            continue;
        }
        if (parts.spatial < 0) {
            if (parts.constant != 0) return notConv(nest, data.tensor->name + " is read from an offset");
            continue;
        }
        const bool first = roles.batchAxis < 0 && roles.spatial.empty();
        if (parts.reduce < 0 && first && parts.spatialStep == 1 && parts.constant == 0) {
            roles.batchAxis = parts.spatial;
            roles.batchDimension = int(d);
            continue;
        }
        Roles::Spatial spatial{d, parts.spatial, parts.reduce, {}, 0};
        ConvAxis &axis = spatial.axis;
        axis.input = extent;
        axis.output = nest.extents[size_t(parts.spatial)];
        axis.kernel = parts.reduce < 0 ? 1 : nest.extents[size_t(parts.reduce)];
        if (parts.dilatedBy != 0) {
            const bool hole = std::any_of(data.holes.begin(), data.holes.end(), [&](const DivisibleWhere &where) {
                const std::optional<int64_t> apart = constantDifference(where.value, parts.dilatedValue);
                return where.divisor == parts.dilatedBy && apart && *apart % parts.dilatedBy == 0;
            });
            if (!hole) return notConv(nest, data.tensor->name + " repeats elements instead of dilating them");
            ++holesUsed;
            roles.transposed = true;
            axis.stride = parts.dilatedBy;
            // Tap k' counts from the far end: output = input * stride + k' - padBefore.
            axis.padBefore = axis.kernel - 1 + parts.dilatedFrom + parts.constant * parts.dilatedBy;
            axis.padAfter = (axis.input - 1) * axis.stride + axis.kernel - axis.padBefore - axis.output;
        } else {
            axis.stride = parts.spatialStep;
            axis.dilation = parts.reduce < 0 ? 1 : parts.reduceStep;
            axis.padBefore = -parts.constant;
            const int64_t reach = (axis.kernel - 1) * axis.dilation + 1;
            const int64_t pads = (axis.output - 1) * axis.stride + reach - axis.input - axis.padBefore;
            axis.padAfter = std::max<int64_t>(pads, 0);
            if (axis.stride < 1 || axis.dilation < 1) return notConv(nest, data.tensor->name + " is read backwards");
            if (axis.padBefore < 0 ||
                axis.output != (axis.input + axis.padBefore + axis.padAfter - reach) / axis.stride + 1)
                return notConv(nest, "it computes only part of the image");
        }
        roles.spatial.push_back(spatial);
    }
    if (holesUsed != data.holes.size())
        return notConv(nest, data.tensor->name + " is skipped in a pattern that is not a dilation");
    if (roles.spatial.empty() || roles.spatial.size() > 3)
        return notConv(nest, "it slides over " + std::to_string(roles.spatial.size()) + " dimensions, not 1 to 3");
    if (roles.transposed) {
        for (const Roles::Spatial &spatial : roles.spatial)
            if (spatial.axis.stride < 2 && spatial.axis.kernel > 1)
                return notConv(nest, "it is transposed in some dimensions only");
    }
    return roles;
}

} // namespace

bool slides(const OperandAccess &access, const NestAxes &nest) {
    return std::any_of(access.indices.begin(), access.indices.end(), [&](const LinearForm &index) {
        IndexParts parts;
        return takeApart(index, nest, parts) && parts.spatial >= 0 && parts.reduce >= 0;
    });
}

Outcome<RecognisedConv> recogniseConv(const OperandAccess &data, const OperandAccess &weights, const NestAxes &nest) {
    if (weights.padded || !weights.holes.empty())
        return notConv(nest, "the weights " + weights.tensor->name + " are read under a condition");
    Outcome<Roles> found = dataRoles(data, weights, nest);
    if (!found) return found.refusal();
    const Roles &roles = *found;

    RecognisedConv result;
    ConvProblem &problem = result.problem;
    problem.transposed = roles.transposed;
    for (const Roles::Spatial &spatial : roles.spatial) problem.axes.push_back(spatial.axis);

    // The output channel is the output axis left to the weights.
    std::vector<bool> taken(nest.size(), false);
    if (roles.batchAxis >= 0) taken[size_t(roles.batchAxis)] = true;
    if (roles.inChannelAxis >= 0) taken[size_t(roles.inChannelAxis)] = true;
    for (const Roles::Spatial &spatial : roles.spatial) {
        if (taken[size_t(spatial.out)] || (spatial.tap >= 0 && taken[size_t(spatial.tap)]))
            return notConv(nest, "one axis moves along two dimensions of " + data.tensor->name);
        taken[size_t(spatial.out)] = true;
        if (spatial.tap >= 0) taken[size_t(spatial.tap)] = true;
    }
    for (size_t axis = 0; axis < nest.size(); ++axis) {
        if (taken[axis]) continue;
        const bool channel = !nest.isReduce(int(axis)) && weights.uses(nest, int(axis)) && result.channelAxis < 0;
        if (channel)
            result.channelAxis = int(axis);
        else if (nest.extents[axis] > 1)
            return notConv(nest, "axis " + std::string(nest.vars[axis]->name()) + " has no part in it");
    }
    if (result.channelAxis < 0) return notConv(nest, "it has no output channels");
    problem.outChannels = nest.extents[size_t(result.channelAxis)];
    problem.batch = roles.batchAxis < 0 ? 1 : nest.extents[size_t(roles.batchAxis)];
    const int64_t inPerGroup = roles.inChannelAxis < 0 ? 1 : nest.extents[size_t(roles.inChannelAxis)];
    problem.inChannels = roles.channelDimension < 0 ? 1 : data.tensor->shape[size_t(roles.channelDimension)];

    // Groups: data channel = group * inPerGroup + input channel, with group = output channel / outPerGroup.
    const IndexParts &channel = roles.channel;
    int64_t outPerGroup = problem.outChannels;
    if (channel.spatial >= 0 || channel.quotientOf >= 0) {
        const int groupOf = channel.spatial >= 0 ? channel.spatial : channel.quotientOf;
        const int64_t step = channel.spatial >= 0 ? 1 : channel.quotientStep;
        outPerGroup = channel.spatial >= 0 ? 1 : channel.quotientBy;
        if (groupOf != result.channelAxis || step != inPerGroup)
            return notConv(nest, "the groups of " + data.tensor->name + " overlap or leave channels out");
    }
    problem.groups = outPerGroup == 0 ? 0 : problem.outChannels / outPerGroup;
    if (problem.groups * outPerGroup != problem.outChannels || problem.groups * inPerGroup != problem.inChannels)
        return notConv(nest, "its groups do not divide its channels evenly");

    problem.data.image = roles.batchDimension < 0 ? 0 : data.stride(size_t(roles.batchDimension));
    problem.data.channel = roles.channelDimension < 0 ? 1 : data.stride(size_t(roles.channelDimension));
    int64_t elements = 1;
    for (size_t axis = nest.spatialCount; axis-- > 0;) {
        if (int(axis) == roles.batchAxis) problem.out.image = elements;
        if (int(axis) == result.channelAxis) problem.out.channel = elements;
        for (size_t i = 0; i < roles.spatial.size(); ++i)
            if (int(axis) == roles.spatial[i].out) problem.out.spatial[i] = elements;
        elements *= nest.extents[axis];
    }
    for (size_t i = 0; i < roles.spatial.size(); ++i) problem.data.spatial[i] = data.stride(roles.spatial[i].dimension);

    problem.weights = {0, 0, 0, {}};
    for (size_t d = 0; d < weights.indices.size(); ++d) {
        IndexParts parts;
        const int64_t stride = weights.stride(d);
        const auto isAnd = [&](int axis) { return axis >= 0 && axis == parts.reduce; };
        if (!takeApart(weights.indices[d], nest, parts) || parts.dilatedBy != 0 ||
            (parts.spatial >= 0) + (parts.reduce >= 0) + (parts.quotientOf >= 0) + (parts.remainderOf >= 0) > 1)
            return notConv(nest, "dimension " + std::to_string(d) + " of the weights mixes axes");
        bool understood = parts.constant == 0;
        if (parts.spatial == result.channelAxis && parts.spatial >= 0) {
            understood = understood && parts.spatialStep == 1;
            problem.weights.out = stride;
            problem.weights.group = stride * outPerGroup;
        } else if (parts.quotientOf == result.channelAxis && parts.quotientOf >= 0) {
            understood = understood && parts.quotientStep == 1 && parts.quotientBy == outPerGroup;
            problem.weights.group = stride;
        } else if (parts.remainderOf == result.channelAxis && parts.remainderOf >= 0) {
            understood = understood && parts.quotientBy == outPerGroup;
            problem.weights.out = stride;
        } else if (isAnd(roles.inChannelAxis)) {
            understood = understood && parts.reduceStep == 1;
            problem.weights.in = stride;
        } else if (parts.reduce >= 0) {
            understood = false;
            for (size_t i = 0; i < roles.spatial.size(); ++i) {
                if (parts.reduce != roles.spatial[i].tap) continue;
                // A transposed convolution reads its kernel from the far end.
                understood = problem.transposed ? parts.reduceStep == -1 && parts.constant == problem.axes[i].kernel - 1
                                                : parts.reduceStep == 1 && parts.constant == 0;
                problem.weights.spatial[i] = stride;
            }
        } else if (parts.spatial >= 0) {
            understood = false;
        }
        if (!understood)
            return notConv(nest, "dimension " + std::to_string(d) + " of the weights " + weights.tensor->name +
                                     " is not read as a kernel's");
    }
    if ((problem.outChannels > 1 && problem.weights.out == 0 && problem.weights.group == 0) ||
        (inPerGroup > 1 && problem.weights.in == 0))
        return notConv(nest, "the weights do not depend on every channel");
    for (size_t i = 0; i < problem.axes.size(); ++i)
        if (problem.axes[i].kernel > 1 && problem.weights.spatial[i] == 0)
            return notConv(nest, "the weights do not depend on the place in the window");
    // One channel, or a kernel of one element, has no neighbours; what a dense operand would have keeps the description
    // valid.
    if (problem.weights.out == 0) problem.weights.out = 1;
    if (problem.weights.in == 0) problem.weights.in = 1;
    for (int64_t &stride : problem.weights.spatial)
        if (stride == 0) stride = 1;
    if (problem.data.image == 0) problem.data.image = int64_t(bufferSizes(problem).data);
    if (problem.out.image == 0) problem.out.image = int64_t(bufferSizes(problem).out);
    if (roles.channelDimension >= 0 && problem.groups == 1 && problem.weights.group == 0)
        problem.weights.group = int64_t(bufferSizes(problem).weights);
    return result;
}

} // namespace loopscope
