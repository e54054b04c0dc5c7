#include "harness/transposed_dag.h"

#include "base/check.h"
#include "harness/sample_dags.h"

#include <algorithm>

namespace loopscope {

namespace {

/// Numbers from `least` to `most`, both included.
struct Range {
    Random &random;
    int64_t operator()(int64_t least, int64_t most) const {
        return least + static_cast<int64_t>(random.index(static_cast<size_t>(most - least + 1)));
    }
};

} // namespace

DagPtr transposedDag(const Transposed &t) {
    DagBuilder build;
    const Expr zero = isFloat(t.type) ? makeFloat(0, t.type) : makeInt(0, t.type);
    const std::vector<int64_t> in(t.dimensions, t.in);
    auto shape = in;
    shape.push_back(t.channels);
    const Tensor &data = build.placeholder("data", shape, t.type);
    const auto both = [](Expr a, Expr b) { return a ? logicalAnd(a, b) : b; };
    const auto spreadOut = [&](Expr at) { return makeBinary(ExprKind::Eq, floorMod(at, t.stride), makeInt(0)); };
    /// `from` where all of `map`(axis) holds, else 0; the channels are the last axis.
    const auto mapped = [&](const char *name, const Tensor &from, int64_t extent, auto &&index, auto &&condition) {
        std::vector<Axis> axes;
        std::vector<Expr> read;
        Expr holds;
        for (size_t d = 0; d < t.dimensions; ++d) {
            axes.push_back(axis("i" + std::to_string(d), extent));
            read.push_back(index(axes.back().var));
            holds = both(holds, condition(axes.back().var));
        }
        axes.push_back(axis("c", t.channels));
        read.push_back(axes.back().var);
        return &build.compute(name, axes, ifThenElse(holds, makeLoad(from, read), zero));
    };
    const auto padded = [&](const Tensor &from, int64_t length, int64_t extent, int64_t before) {
        return mapped(
            "pad", from, extent, [&](Expr i) { return i - before; },
            [&](Expr i) {
                return logicalAnd(makeBinary(ExprKind::Ge, i, makeInt(before)),
                                  makeBinary(ExprKind::Lt, i, makeInt(before + length)));
            });
    };
    const int64_t out = t.stride * (t.in - 1) + t.kernel;
    const Tensor *pad = nullptr;
    if (t.stored) {
        const int64_t length = t.stride * (t.in - 1) + 1;
        const Tensor *spread = mapped("spread", data, length, [&](Expr i) { return floorDiv(i, t.stride); }, spreadOut);
        pad = padded(*spread, length, out + t.kernel + t.border, t.border);
    } else {
        pad = padded(data, t.in, t.in + 2 * t.kernel, 1);
    }

    std::vector<int64_t> weightShape(t.dimensions, t.kernel);
    weightShape.push_back(t.channels);
    weightShape.push_back(t.results);
    const Tensor &weight = build.placeholder("weight", weightShape, t.type);
    std::vector<Axis> spatial;
    std::vector<Axis> reduce;
    std::vector<Expr> read;
    std::vector<Expr> mirrored;
    Expr onValue;
    for (size_t d = 0; d < t.dimensions; ++d) {
        spatial.push_back(axis(d == 0 ? "w" : "h", out));
        reduce.push_back(axis(d == 0 ? "r" : "q", t.kernel));
        const Expr at = spatial[d].var + reduce[d].var;
        onValue = both(onValue, spreadOut(at + t.border));
        read.push_back(t.stored ? at : floorDiv(at + t.border, t.stride));
        mirrored.push_back(makeInt(t.kernel - 1) - reduce[d].var);
    }
    spatial.push_back(axis("o", t.results));
    reduce.push_back(axis("c", t.channels));
    read.push_back(reduce.back().var);
    mirrored.push_back(reduce.back().var);
    mirrored.push_back(spatial.back().var);
    const Expr value = t.stored ? makeLoad(*pad, read) : ifThenElse(onValue, makeLoad(*pad, read), zero);
    const Attrs attrs = {{"layout_free_placeholders", std::vector<std::string>{"weight"}}};
    return build.build(
        {&build.reduce("conv", spatial, ReduceKind::Sum, reduce, value * makeLoad(weight, mirrored), attrs)});
}

Transposed randomTransposed(Random &random) {
    const Range from{random};
    Transposed t;
    t.dimensions = static_cast<size_t>(from(1, 2));
    t.stride = from(2, 4);
    t.kernel = from(1, t.dimensions == 1 ? 6 : 4);
    t.in = from(2, t.dimensions == 1 ? 7 : 3);
    t.border = from(0, t.stride);
    t.results = from(1, 9);
    t.stored = from(0, 2) == 0;
    if (from(0, 3) == 0) t.type = from(0, 1) == 0 ? DType::Int32 : DType::Float64;
    return t;
}

LoopState randomTransposedTiles(const DagPtr &dag, Random &random) {
    const Range from{random};
    const StageId conv(static_cast<int>(dag->ops().size()) - 1);
    const StageId pad(conv.value - 2);
    const auto spatial = static_cast<int>(dag->ops().back()->axes.size());
    std::vector<Step> steps;
    for (int i = 0; i < spatial; ++i) steps.emplace_back(SplitStep{conv, IterId(3 * i), 0, {from(1, 3), from(1, 6)}});
    for (int i = 0; i < spatial; ++i) steps.emplace_back(SplitStep{conv, IterId(3 * spatial + 2 * i), 0, {from(1, 4)}});
    ReorderStep order{conv, {}};
    const auto add = [&](int first, int part, int parts) {
        for (int i = 0; i < spatial; ++i) order.order.emplace_back(first + parts * i + part);
    };
    add(0, 0, 3);
    add(3 * spatial, 0, 2);
    add(0, 1, 3);
    add(3 * spatial, 1, 2);
    add(0, 2, 3);
    // Vectors along the results or along a spatial dimension, of which each phase has every other element.
    if (from(0, 1) > 0) std::reverse(order.order.end() - spatial, order.order.end());
    steps.emplace_back(order);
    if (from(0, 2) > 0) steps.emplace_back(AnnotateStep{conv, IterId(5 * spatial - 1), Annotation::Vectorize});
    const int64_t place = from(0, 3);
    if (place >= 2) steps.emplace_back(ComputeInlineStep{pad});
    if (place == 1) steps.emplace_back(ComputeAtStep{pad, conv, IterId(spatial - 1)});
    if (pad.value == 2 && from(0, 1) > 0) steps.emplace_back(ComputeInlineStep{StageId(1)});
    if (from(0, 2) == 0) steps.emplace_back(PragmaStep{conv, IterId(0), "auto_unroll_max_step$64"});
    if (place != 1 && from(0, 1) > 0) steps.emplace_back(FuseStep{conv, {IterId(0), IterId(1)}});
    if (from(0, 2) == 0) steps.emplace_back(AnnotateStep{conv, IterId(0), Annotation::Parallel});
    Outcome<LoopState> state = replay(dag, steps);
    LOOPSCOPE_CHECK(state.ok(), state ? "" : state.why());
    return std::move(state).value();
}

} // namespace loopscope
