#include "harness/random_op.h"

#include "harness/sample_dags.h"

#include "language/expr/half.h"

#include <array>
#include <limits>

namespace loopscope {

namespace {

class OpDrawer {
  public:
    OpDrawer(Random &random, const RandomOpOptions &options)
        : m_random(random), m_wraps(options.wraps), m_floats(options.floats) {}

    /// Where values wrap, now and then of two ops, the second of which may read the first.
    DagPtr run() {
        if (!m_wraps || chance(0.6)) return m_builder.build(draw("y"));
        const std::vector<const Tensor *> first = draw("p");
        m_inputs.insert(m_inputs.end(), first.begin(), first.end());
        m_computed = first;
        std::vector<const Tensor *> outputs = draw("y");
        outputs.insert(outputs.end(), m_computed.begin(), m_computed.end()); // what the second did not read
        return m_builder.build(outputs);
    }

  private:
    std::vector<const Tensor *> draw(const std::string &name) {
        constexpr std::array<int64_t, 9> usual = {1, 2, 3, 7, 16, 19, 40, 64, 300};
        constexpr std::array<int64_t, 9> small = {1, 1, 1, 2, 2, 3, 7, 16, 19};
        const std::array<int64_t, 9> &extents = m_wraps ? small : usual;
        const int64_t maxWork = m_wraps ? 1000 : 6000;
        int64_t work = 1;
        const auto drawAxes = [&](const char *letter, int count) {
            std::vector<Axis> result;
            for (int i = 0; i < count; ++i) {
                int64_t extent = extents[m_random.index(extents.size())];
                if (work * extent > maxWork) extent = 2;
                work *= extent;
                result.push_back(axis(letter + std::to_string(i), extent));
            }
            return result;
        };
        const std::vector<Axis> spatial = drawAxes("i", below(4));
        const std::vector<Axis> reduce = drawAxes("k", below(3));
        m_axes = spatial;
        m_axes.insert(m_axes.end(), reduce.begin(), reduce.end());
        constexpr std::array<DType, 5> bodies = {DType::Float32, DType::Float64, DType::Int32, DType::Int8,
                                                 DType::UInt8};
        const DType type = m_wraps ? anyType() : bodies[m_random.index(5)];
        const Expr body = value(type, 4);
        if (reduce.empty()) return {&m_builder.compute(name, spatial, body)};
        Reduction reduction{{}, reduce, {}};
        if (chance(0.4)) reduction.condition = condition(2);
        std::vector<Expr> bodiesOf = {body};
        // Which of several is the largest is a matter of the order where there are others than numbers, and which of
        // several alike, where schedules choose the order.
        const bool numbers = !m_wraps || !isFloat(type);
        if (numbers && m_floats && chance(0.25)) {
            bodiesOf = {m_axes.back().var, body};
            reduction.combiner = largest(type);
        } else {
            constexpr std::array<ReduceKind, 4> kinds = {ReduceKind::Sum, ReduceKind::Prod, ReduceKind::Min,
                                                         ReduceKind::Max};
            reduction.combiner = makeCombiner(kinds[m_random.index(numbers ? 4 : 2)], type);
        }
        return m_builder.computeTuple(name, spatial, bodiesOf, reduction);
    }

    int below(int n) { return static_cast<int>(m_random.below(static_cast<uint64_t>(n))); }
    bool chance(double p) { return m_random.uniform() < p; }

    /// A new one or one of those there are.
    const Tensor &input() {
        if (!m_inputs.empty() && (m_inputs.size() >= 4 || chance(0.4))) {
            const Tensor *tensor = m_inputs[m_random.index(m_inputs.size())];
            std::erase(m_computed, tensor);
            return *tensor;
        }
        constexpr std::array<DType, 7> types = {DType::Float32, DType::Float64, DType::Float16, DType::Int32,
                                                DType::Int8,    DType::UInt8,   DType::Bool};
        std::vector<int64_t> shape;
        for (int d = below(3); d >= 0; --d) shape.push_back(1 + below(9));
        m_inputs.push_back(&m_builder.placeholder("x" + std::to_string(m_inputs.size()), shape,
                                                  m_wraps ? anyType() : types[m_random.index(types.size())]));
        return *m_inputs.back();
    }

    static Combiner largest(DType type) {
        Combiner combiner;
        combiner.left = {makeVar("li"), makeVar("lv", type)};
        combiner.right = {makeVar("ri"), makeVar("rv", type)};
        const Expr left = fold(ExprKind::Ge, combiner.left[1], combiner.right[1]);
        combiner.result = {select(left, combiner.left[0], combiner.right[0]),
                           select(left, combiner.left[1], combiner.right[1])};
        combiner.identity = {makeInt(-1), makeCombiner(ReduceKind::Max, type).identity[0]};
        return combiner;
    }

    Expr constant(DType type) {
        if (type == DType::Bool) return makeBool(chance(0.5));
        if (m_wraps && chance(0.5)) return extreme(type);
        if (isFloat(type)) return makeFloat(below(9) * 0.5 - 2, type);
        return makeInt(type == DType::UInt8 ? below(9) : below(9) - 4, type);
    }

    /// int32: affine or not, of any range.
    Expr index(int depth) {
        if (depth == 0 || chance(0.3))
            return m_axes.empty() || chance(0.2) ? constant(DType::Int32) : m_axes[m_random.index(m_axes.size())].var;
        const Expr a = index(depth - 1);
        switch (below(6)) {
        case 0:
            return makeBinary(ExprKind::Add, a, index(depth - 1));
        case 1:
            return makeBinary(ExprKind::Sub, a, index(depth - 1));
        case 2:
            return makeBinary(ExprKind::Mul, a, makeInt(1 + below(3)));
        case 3:
            return makeBinary(ExprKind::FloorDiv, a, makeInt(1 + below(4)));
        case 4:
            return makeBinary(ExprKind::FloorMod, a, makeInt(1 + below(7)));
        default:
            return value(DType::Int32, depth - 1);
        }
    }

    Expr loadOf(const Tensor &tensor, int depth) {
        std::vector<Expr> indices;
        Expr inside = makeBool(true);
        const bool guarded = chance(0.6);
        for (const int64_t extent : tensor.shape) {
            Expr i = index(std::min(depth, 2));
            if (guarded) {
                const Expr low = makeBinary(ExprKind::Ge, i, makeInt(0));
                const Expr high = makeBinary(ExprKind::Lt, i, makeInt(extent));
                inside = makeBinary(ExprKind::And, inside, makeBinary(ExprKind::And, low, high));
            } else if (chance(0.5)) {
                i = makeBinary(ExprKind::FloorMod, i, makeInt(extent));
            } else {
                i = makeBinary(ExprKind::Max, makeBinary(ExprKind::Min, i, makeInt(extent - 1)), makeInt(0));
            }
            indices.push_back(i);
        }
        const Expr read = makeLoad(tensor, indices);
        if (!guarded) return read;
        const Expr otherwise = constant(tensor.dtype);
        if (chance(0.3)) { // the other way round
            return lazyChoice(makeUnary(ExprKind::Not, inside), otherwise, read);
        }
        return lazyChoice(inside, read, otherwise);
    }

    static Expr lazyChoice(Expr condition, Expr yes, Expr no) {
        const Expr args[] = {condition, yes, no};
        return makeCall(Intrinsic::IfThenElse, yes->dtype, args);
    }
    Expr choice(Expr condition, Expr yes, Expr no) {
        return chance(0.5) ? makeSelectNode(condition, yes, no) : lazyChoice(condition, yes, no);
    }

    Expr condition(int depth) {
        if (m_wraps && (!m_floats || chance(0.7))) {
            const DType type = anyType();
            return makeBinary(comparison(), value(type, depth), chance(0.5) ? constant(type) : value(type, depth));
        }
        if (depth == 0 || chance(0.4)) {
            constexpr std::array<ExprKind, 6> kinds = {ExprKind::Eq, ExprKind::Ne, ExprKind::Lt,
                                                       ExprKind::Le, ExprKind::Gt, ExprKind::Ge};
            const DType type = chance(0.6) ? DType::Int32 : DType::Float32;
            const Expr a = type == DType::Int32 ? index(1) : value(type, depth);
            return makeBinary(kinds[m_random.index(6)], a, type == DType::Int32 ? index(1) : constant(type));
        }
        switch (below(4)) {
        case 0:
            return makeUnary(ExprKind::Not, condition(depth - 1));
        case 1:
            return makeBinary(ExprKind::And, condition(depth - 1), condition(depth - 1));
        case 2:
            return makeBinary(ExprKind::Or, condition(depth - 1), condition(depth - 1));
        default: { // the left side guards a division by zero
            const Expr a = index(1), b = index(1);
            const Expr zero = makeBinary(ExprKind::Eq, b, makeInt(0));
            const Expr odd = makeBinary(ExprKind::Ne, makeBinary(ExprKind::Mod, a, b), makeBinary(ExprKind::Div, a, b));
            return chance(0.5) ? makeBinary(ExprKind::Or, zero, odd)
                               : makeBinary(ExprKind::And, makeUnary(ExprKind::Not, zero), odd);
        }
        }
    }

    // --- Values that wrap ---

    DType anyType() {
        constexpr std::array<DType, 10> types = {DType::Int8,  DType::UInt8,  DType::Int16,  DType::UInt16,
                                                 DType::Int32, DType::Int32,  DType::UInt32, DType::Int64,
                                                 DType::Int64, DType::Float32};
        return types[m_random.index(m_floats ? types.size() : types.size() - 1)]; // floats come last
    }
    ExprKind comparison() { return static_cast<ExprKind>(static_cast<int>(ExprKind::Eq) + below(6)); }
    /// Ends of the type, powers of two and what is next to them; of floats what is no number as well.
    Expr extreme(DType type) {
        if (isFloat(type)) {
            constexpr double infinity = std::numeric_limits<double>::infinity();
            constexpr std::array<double, 6> values = {infinity, -infinity, std::numeric_limits<double>::quiet_NaN(),
                                                      -0.0,     3.0e38,    1.0e-40};
            return makeFloat(values[m_random.index(values.size())], type);
        }
        const int64_t power = static_cast<int64_t>(uint64_t{1} << below(64));
        return makeInt(chance(0.2) ? static_cast<int64_t>(m_random.below(~uint64_t{0})) : power + below(3) - 1, type);
    }
    /// As the language builds it, or exactly so.
    Expr binary(ExprKind kind, Expr a, Expr b) { return chance(0.5) ? fold(kind, a, b) : makeBinary(kind, a, b); }

    /// By a constant, by what cannot be zero, or guarded by a choice.
    Expr division(DType type, int depth) {
        const auto kind = static_cast<ExprKind>(static_cast<int>(ExprKind::Div) + below(4));
        const Expr a = value(type, depth);
        if (chance(0.5)) {
            const Expr by = chance(0.4) ? constant(type) : makeInt(1 + below(40), type);
            return makeBinary(kind, a, by->intValue == 0 ? makeInt(7, type) : by);
        }
        const Expr b = value(type, depth);
        const Expr zero = makeInt(0, type), quotient = makeBinary(kind, a, b);
        switch (below(4)) {
        case 0:
            return choice(makeBinary(ExprKind::Eq, b, zero), constant(type), quotient);
        case 1:
            return choice(makeBinary(ExprKind::Ne, b, zero), quotient, constant(type));
        case 2:
            return makeBinary(kind, a, makeBinary(ExprKind::Max, b, makeInt(1, type)));
        default: {
            const Expr odd[] = {b, makeInt(1, type)};
            return makeBinary(kind, a, makeCall(Intrinsic::BitwiseOr, type, odd));
        }
        }
    }

    Expr wrapping(DType type, int depth) {
        const auto sub = [&] { return value(type, depth - 1); };
        switch (below(14)) {
        case 0:
        case 1: {
            const Expr read = loadOf(input(), depth - 1);
            if (isFloat(read->dtype))
                return choice(makeBinary(comparison(), read, constant(read->dtype)), sub(), sub());
            return read->dtype == type ? read : makeCastNode(type, read);
        }
        case 2:
        case 3: {
            const Expr i = index(depth - 1);
            return i->dtype == type ? i : makeCastNode(type, i);
        }
        case 4:
            return division(type, depth - 1);
        case 5: {
            constexpr std::array<Intrinsic, 5> calls = {Intrinsic::ShiftLeft, Intrinsic::ShiftRight,
                                                        Intrinsic::BitwiseAnd, Intrinsic::BitwiseOr,
                                                        Intrinsic::BitwiseXor};
            const Expr args[] = {sub(), chance(0.6) ? makeInt(below(9), type) : sub()};
            return makeCall(calls[m_random.index(calls.size())], type, args);
        }
        case 6: {
            const Expr x = sub();
            return makeCall(chance(0.5) ? Intrinsic::Popcount : Intrinsic::Fabs, type, std::span(&x, 1));
        }
        case 7:
            return choice(condition(depth - 1), sub(), sub());
        case 8: {
            const DType from = anyType();
            return isFloat(from) || from == type ? sub() : makeCastNode(type, value(from, depth - 1));
        }
        case 9: {
            const Expr bound = makeVar("v", type);
            const Expr first = sub();
            return makeLet(bound, first, makeBinary(ExprKind::Add, bound, makeBinary(ExprKind::Mul, bound, sub())));
        }
        default: {
            constexpr std::array<ExprKind, 8> kinds = {ExprKind::Add, ExprKind::Add, ExprKind::Sub, ExprKind::Sub,
                                                       ExprKind::Mul, ExprKind::Mul, ExprKind::Min, ExprKind::Max};
            const ExprKind kind = kinds[m_random.index(kinds.size())];
            const Expr a = sub();
            return binary(kind, a, chance(0.5) ? constant(type) : sub());
        }
        }
    }

    Expr value(DType type, int depth) {
        if (depth <= 0)
            return m_wraps && !isFloat(type) && !m_axes.empty() && chance(0.6)
                       ? castTo(type, m_axes[m_random.index(m_axes.size())].var)
                       : constant(type);
        if (m_wraps && !isFloat(type)) return wrapping(type, depth);
        switch (below(8)) {
        case 0:
        case 1:
        case 2: {
            const Expr read = loadOf(input(), depth - 1);
            return read->dtype == type ? read : makeCastNode(type, read);
        }
        case 3:
            return choice(condition(depth - 1), value(type, depth - 1), value(type, depth - 1));
        case 4: {
            const Expr bound = makeVar("v", type);
            return makeLet(bound, value(type, depth - 1),
                           makeBinary(ExprKind::Add, bound, makeBinary(ExprKind::Mul, bound, value(type, depth - 1))));
        }
        case 5:
            if (type == DType::Int32 || isFloat(type)) return makeCastNode(type, index(depth - 1));
            return makeCastNode(type, value(DType::Float32, depth - 1));
        case 6: {
            const Expr x = value(type, depth - 1);
            if (isFloat(type))
                return makeCall(chance(0.5) ? Intrinsic::Tanh : Intrinsic::Floor, type, std::span(&x, 1));
            const Expr args[] = {x, value(type, depth - 1)};
            return makeCall(chance(0.5) ? Intrinsic::BitwiseXor : Intrinsic::ShiftRight, type, args);
        }
        default: {
            constexpr std::array<ExprKind, 5> kinds = {ExprKind::Add, ExprKind::Sub, ExprKind::Mul, ExprKind::Min,
                                                       ExprKind::Max};
            return makeBinary(kinds[m_random.index(5)], value(type, depth - 1), value(type, depth - 1));
        }
        }
    }

    Random &m_random;
    bool m_wraps;
    bool m_floats;
    std::vector<const Tensor *> m_computed; // and not read yet
    DagBuilder m_builder;
    std::vector<Axis> m_axes;
    std::vector<const Tensor *> m_inputs;
};

} // namespace

DagPtr randomOp(Random &random, const RandomOpOptions &options) { return OpDrawer(random, options).run(); }

std::vector<TensorValue> extremeInputs(const ComputeDag &dag, uint64_t seed) {
    constexpr std::array<double, 5> special = {std::numeric_limits<double>::infinity(),
                                               -std::numeric_limits<double>::infinity(),
                                               std::numeric_limits<double>::quiet_NaN(), -0.0, 3.0e38};
    std::vector<TensorValue> inputs = randomInputs(dag, seed);
    Random random(seed, 3);
    for (TensorValue &input : inputs) {
        for (double &element : input.floats)
            if (random.below(8) == 0) element = roundToType(special[random.index(special.size())], input.dtype);
        for (int64_t &element : input.integers) {
            const uint64_t kind = random.below(4);
            const auto power = static_cast<int64_t>(uint64_t{1} << random.below(64));
            if (kind == 0) element = wrapToType(static_cast<int64_t>(random.below(~uint64_t{0})), input.dtype);
            if (kind == 1) element = wrapToType(power + static_cast<int64_t>(random.below(3)) - 1, input.dtype);
        }
    }
    return inputs;
}

} // namespace loopscope
