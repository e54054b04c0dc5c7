#include "language/interpret/op_interpreter.h"

#include "language/expr/extreme.h"
#include "language/expr/half.h"
#include "language/interpret/grain.h"
#include "language/interpret/lane_compiler.h"
#include "language/interpret/lane_error.h"
#include "language/interpret/reduction_error.h"
#include "language/interpret/scalar_ops.h"
#include "language/te/scan.h"

#include <algorithm>

namespace loopscope {

namespace {

/// f(total, value) for the lanes that take part; lanes over the reduction all go into one total, in order.
template <typename T, typename F>
void fold(T *total, bool one, LaneValues<T> value, int lanes, const int64_t *active, F &&f) {
    if (active != nullptr || one) {
        for (int i = 0; i < lanes; ++i)
            if (active == nullptr || active[i] != 0) total[one ? 0 : i] = f(total[one ? 0 : i], value[i]);
    } else if (value.varying) {
        for (int i = 0; i < lanes; ++i) total[i] = f(total[i], value.at[i]);
    } else {
        const T x = value.at[0];
        for (int i = 0; i < lanes; ++i) total[i] = f(total[i], x);
    }
}

/// All floats it reads are multiples of something coarse.
bool readsGrains(const Op &op, const LaneProgram::TensorValues &values) {
    bool any = false;
    for (const Tensor *input : inputTensors(op)) {
        const auto found = values.find(input);
        if (!isFloat(input->dtype) || found == values.end()) continue;
        if (grainOf(*found->second).grain == 0) return false;
        any = true;
    }
    return any;
}

class OpInterpreter {
  public:
    OpInterpreter(const Op &op, LaneNest nest, const LaneProgram::TensorValues &values, TermSigns signs,
                  std::vector<TensorValue> &results)
        : m_op(op), m_signs(signs), m_results(results), m_program(op.name, std::move(nest), readsGrains(op, values)),
          m_strides(rowMajorStrides(op.shape())) {
        compileOp(values);
        for (size_t k = 0; k < m_bodies.size(); ++k) {
            if (op.reduction) m_rules.push_back(errorRuleOf(*op.reduction, k, m_program, m_bodies[k]));
            const bool exact = op.reduction ? m_rules[k] == ErrorRule::Exact : m_program.exact(m_bodies[k]);
            if (!exact) results[k].bounds.resize(results[k].size());
        }
        if (op.reduction)
            for (const Axis &axis : op.reduction->axes) m_points *= static_cast<double>(axis.extent);
    }

    [[nodiscard]] int64_t blocks() const { return m_program.nest().blocks(); }

    /// All blocks, in the order of the loops, or against it. For a scan, which reads what it has written.
    void runInOrder(bool backwards) const {
        if (!backwards) return run(0, blocks());
        LaneState state = m_program.makeState();
        for (int64_t block = blocks(); block > 0; --block) {
            m_program.start(state, block - 1);
            storeBlock(state);
        }
    }

    /// Blocks [begin, end).
    void run(int64_t begin, int64_t end) const {
        const LaneNest &nest = m_program.nest();
        LaneState state = m_program.makeState();
        std::vector<ReductionError> errors;
        for (size_t k = 0; k < m_rules.size(); ++k)
            errors.emplace_back(m_rules[k], m_kind, m_op.body[k]->dtype, m_program.noticesExact());
        m_program.start(state, begin);
        for (int64_t block = begin; block < end; ++block) {
            if (!m_op.reduction) {
                storeBlock(state);
                m_program.advance(state);
                continue;
            }
            const int64_t element = elementOf(state);
            const int lanes = m_lanesReduce ? 1 : state.width;
            for (size_t k = 0; k < m_bodies.size(); ++k) {
                copyLanes(state, m_identities[k], m_totals[k], lanes, nullptr);
                errors[k].restart(lanes);
            }
            do accumulate(state, errors);
            while (m_program.advance(state) >= static_cast<int>(nest.spatialLoops));
            for (size_t k = 0; k < m_bodies.size(); ++k) {
                store(k, state, m_totals[k], element, lanes);
                storeBounds(k, state, m_totals[k], &errors[k], element, lanes);
            }
        }
    }

  private:
    [[nodiscard]] int64_t elementOf(const LaneState &state) const {
        int64_t element = 0;
        for (size_t axis = 0; axis < m_strides.size(); ++axis) element += m_strides[axis] * state.values[axis];
        return element;
    }

    /// Without a reduction.
    void storeBlock(const LaneState &state) const {
        const int64_t element = elementOf(state);
        for (size_t k = 0; k < m_bodies.size(); ++k) {
            store(k, state, m_bodies[k], element, state.width);
            storeBounds(k, state, m_bodies[k], nullptr, element, state.width);
        }
    }

    void compileOp(const LaneProgram::TensorValues &values) {
        const Op &op = m_op;
        LaneCompiler compiler(m_program, values);
        if (!op.reduction) {
            for (const Expr body : op.body) m_bodies.push_back(compiler.compile(body));
            return;
        }
        const Reduction &reduction = *op.reduction;
        const Combiner &combiner = reduction.combiner;
        m_kind = reduceKind(combiner);
        m_lanesReduce = m_program.nest().firstLane >= op.axes.size() && m_program.nest().endLane > op.axes.size();
        for (const Expr identity : combiner.identity) m_identities.push_back(compiler.compile(identity));
        if (reduction.condition) m_mask = compiler.addMask(compiler.compile(reduction.condition), true, kUnmasked);
        for (const Expr body : op.body) m_bodies.push_back(compiler.compile(body, m_mask));
        const bool combined = m_kind == ReduceKind::Other && !sumsOnly(combiner);
        for (const Expr left : combiner.left) m_totals.push_back(compiler.addVariable(left, combined));
        if (m_kind != ReduceKind::Other) return;
        compiler.beginCombiner();
        for (size_t k = 0; k < m_bodies.size(); ++k) compiler.bind(combiner.right[k], m_bodies[k]);
        for (const Expr result : combiner.result) {
            m_combined.push_back(compiler.compile(result, m_mask));
            m_next.push_back(compiler.addVariable(result, combined)); // nothing refers to it as a variable
        }
    }

    void store(size_t k, const LaneState &state, int reg, int64_t element, int lanes) const {
        TensorValue &result = m_results[k];
        if (isFloat(result.dtype)) {
            const LaneValues<double> value = m_program.floats(state, reg);
            double *const into = result.floats.data() + element;
            if (result.dtype == DType::Float32)
                for (int i = 0; i < lanes; ++i) into[i] = static_cast<float>(value[i]);
            else
                for (int i = 0; i < lanes; ++i) into[i] = roundToType(value[i], result.dtype);
        } else {
            const LaneValues<int64_t> value = m_program.ints(state, reg);
            for (int i = 0; i < lanes; ++i)
                result.integers[static_cast<size_t>(element + i)] = wrapToType(value[i], result.dtype);
        }
    }

    /// `error` of a reduction's output.
    void storeBounds(size_t k, const LaneState &state, int reg, const ReductionError *error, int64_t element,
                     int lanes) const {
        TensorValue &result = m_results[k];
        if (result.bounds.empty()) return;
        const bool floats = isFloat(result.dtype);
        const RoundingStep rounding = RoundingStep::to(result.dtype);
        double room[kLanes];
        const bool own = error == nullptr || error->rule() == ErrorRule::Combined;
        const LaneValues<double> errors = own ? laneErrors(m_program, state, reg, room) : LaneValues<double>{};
        for (int i = 0; i < lanes; ++i) {
            const double value = floats ? m_program.floats(state, reg)[i] : 0;
            const double bound = own ? errors[i]
                                     : error->at(i, value, m_points, m_program.errorShare(m_bodies[k]),
                                                 m_program.errorOwn(m_bodies[k]), m_signs);
            result.bounds[static_cast<size_t>(element + i)] = storedBound(bound, value, rounding);
        }
    }

    /// Into the own memory of register `to`, where active.
    void copyLanes(LaneState &state, int from, int to, int lanes, const int64_t *active) const {
        const LaneState::Register &into = state.registers[static_cast<size_t>(to)];
        const auto copy = [&](auto value, auto *own) {
            for (int i = 0; i < lanes; ++i)
                if (active == nullptr || active[i] != 0) own[i] = value[i];
        };
        if (into.ownFloats != nullptr)
            copy(m_program.floats(state, from), into.ownFloats);
        else
            copy(m_program.ints(state, from), into.ownInts);
        if (into.errors == nullptr) return;
        double room[kLanes];
        copy(laneErrors(m_program, state, from, room), into.errors);
    }

    /// One point of the reduce loops.
    void accumulate(LaneState &state, std::vector<ReductionError> &errors) const {
        const int64_t *active = nullptr;
        if (m_mask >= 0) {
            const LaneState::Register &mask = state.registers[static_cast<size_t>(m_mask)];
            if (!mask.any) return;
            if (!mask.all) active = mask.ints; // then it differs between lanes
        }
        for (size_t k = 0; k < errors.size(); ++k)
            errors[k].add(m_program, state, m_bodies[k], m_totals[k], m_lanesReduce, active);
        if (m_kind == ReduceKind::Other)
            combineTuples(state, active);
        else if (isFloat(m_op.body[0]->dtype))
            foldFloats(state, active);
        else
            foldInts(state, active);
    }

    void combineTuples(LaneState &state, const int64_t *active) const {
        m_program.combine(state);
        // All results are taken from the old totals before any of them is replaced.
        for (size_t k = 0; k < m_combined.size(); ++k) copyLanes(state, m_combined[k], m_next[k], state.width, nullptr);
        for (size_t k = 0; k < m_combined.size(); ++k) copyLanes(state, m_next[k], m_totals[k], state.width, active);
    }

    void foldFloats(const LaneState &state, const int64_t *active) const {
        const LaneValues<double> value = m_program.floats(state, m_bodies[0]);
        double *const total = state.registers[static_cast<size_t>(m_totals[0])].ownFloats;
        const auto with = [&](auto &&f) { fold(total, m_lanesReduce, value, state.width, active, f); };
        switch (m_kind) {
        case ReduceKind::Sum:
            return with([](double a, double b) { return a + b; });
        case ReduceKind::Prod:
            return with([](double a, double b) { return a * b; });
        case ReduceKind::Min:
            return with(lesserOf<double>);
        default:
            return with(greaterOf<double>);
        }
    }

    /// Sums and products wrap when they are stored: the same as wrapping at every step.
    void foldInts(const LaneState &state, const int64_t *active) const {
        const LaneValues<int64_t> value = m_program.ints(state, m_bodies[0]);
        int64_t *const total = state.registers[static_cast<size_t>(m_totals[0])].ownInts;
        const auto with = [&](auto &&f) { fold(total, m_lanesReduce, value, state.width, active, f); };
        const auto bits = [](int64_t x) { return static_cast<uint64_t>(x); };
        switch (m_kind) {
        case ReduceKind::Sum:
            return with([&](int64_t a, int64_t b) { return static_cast<int64_t>(bits(a) + bits(b)); });
        case ReduceKind::Prod:
            return with([&](int64_t a, int64_t b) { return static_cast<int64_t>(bits(a) * bits(b)); });
        case ReduceKind::Min:
            return with([](int64_t a, int64_t b) { return std::min(a, b); });
        default:
            return with([](int64_t a, int64_t b) { return std::max(a, b); });
        }
    }

    const Op &m_op;
    TermSigns m_signs;
    std::vector<TensorValue> &m_results;
    LaneProgram m_program;
    std::vector<int64_t> m_strides; // of the outputs
    ReduceKind m_kind = ReduceKind::Other;
    bool m_lanesReduce = false;
    int m_mask = kUnmasked;
    std::vector<int> m_bodies, m_identities, m_totals; // registers
    std::vector<int> m_combined, m_next;               // of a combiner of its own
    std::vector<ErrorRule> m_rules;                    // of the outputs of a reduction
    double m_points = 1;                               // of it
};

/// Few outputs leave lanes empty; then they run over the reduction, which tuples, combined one after the other, cannot.
bool prefersReduction(const Op &op, const LaneNest &outputs, const LaneNest &reduction) {
    return op.reduction && reduceKind(op.reduction->combiner) != ReduceKind::Other && outputs.lanes() < 16 &&
           reduction.lanes() > outputs.lanes();
}

/// A scan loads its results while they come about, so that what may be off has bounds from the first one on.
void interpretScan(const Op &op, const Scan &scan, LaneProgram::TensorValues values, TermSigns signs,
                   std::vector<TensorValue> &results) {
    const bool bounded =
        std::ranges::any_of(inputTensors(op), [&](const Tensor *input) { return !values.at(input)->bounds.empty(); });
    for (size_t k = 0; k < results.size(); ++k) {
        if (bounded || isFloat(results[k].dtype)) results[k].bounds.resize(results[k].size());
        values[op.outputs[k].get()] = &results[k];
    }
    OpInterpreter(op, LaneNest::behind(op, scan.axis, kLanes), values, signs, results).runInOrder(scan.backwards);
}

} // namespace

void interpretGenerally(const Op &op, const LaneProgram::TensorValues &values, TermSigns signs,
                        std::vector<TensorValue> &results, ThreadPool &pool) {
    if (const std::optional<Scan> scan = scanOf(op)) return interpretScan(op, *scan, values, signs, results);
    const auto elements = static_cast<int64_t>(results[0].size());
    // Narrower blocks where there would be fewer than threads.
    const int64_t most = pool.threads() == 1 ? kLanes : std::max<int64_t>(16, elements / (int64_t{2} * pool.threads()));
    LaneNest nest = LaneNest::overOutputs(op, most);
    if (LaneNest other = LaneNest::overReduction(op, kLanes); prefersReduction(op, nest, other))
        nest = std::move(other);
    const OpInterpreter interpreter(op, std::move(nest), values, signs, results);
    const int64_t blocks = interpreter.blocks();
    // Enough blocks per piece that setting up the registers does not count.
    const int64_t piece = std::clamp<int64_t>(blocks / (int64_t{8} * pool.threads()), 1, 256);
    pool.forEach(static_cast<size_t>((blocks + piece - 1) / piece), [&](size_t i, int) {
        const int64_t begin = static_cast<int64_t>(i) * piece;
        interpreter.run(begin, std::min(blocks, begin + piece));
    });
}
} // namespace loopscope
