#include "language/interpret/reduction_error.h"

#include "language/expr/extreme.h"
#include "language/interpret/grain.h"
#include "language/interpret/lane_error.h"

#include <algorithm>

namespace loopscope {

namespace {

bool isSumOf(const Combiner &combiner, size_t k) {
    const Expr result = combiner.result[k];
    if (result->kind != ExprKind::Add) return false;
    return (result->arg(0).is(combiner.left[k]) && result->arg(1).is(combiner.right[k])) ||
           (result->arg(0).is(combiner.right[k]) && result->arg(1).is(combiner.left[k]));
}

} // namespace

bool sumsOnly(const Combiner &combiner) {
    for (size_t k = 0; k < combiner.result.size(); ++k)
        if (!isSumOf(combiner, k)) return false;
    return true;
}

ErrorRule errorRuleOf(const Reduction &reduction, size_t k, const LaneProgram &program, int body) {
    const ReduceKind kind = reduceKind(reduction.combiner);
    const bool floats = isFloat(reduction.combiner.result[k]->dtype);
    if (kind == ReduceKind::Other && !sumsOnly(reduction.combiner)) return ErrorRule::Combined;
    const bool chooses = kind == ReduceKind::Min || kind == ReduceKind::Max;
    if (program.exact(body) && (chooses || !floats)) return ErrorRule::Exact;
    if (chooses && !program.bounded(body)) return ErrorRule::Share;
    if (kind == ReduceKind::Prod || chooses || !floats) return ErrorRule::Running;
    return ErrorRule::Sum;
}

void ReductionError::restart(int lanes) {
    std::fill_n(m_squares, lanes, 0.0);
    std::fill_n(m_errors, lanes, 0.0);
    if (!m_grained) return;
    std::fill_n(m_magnitudes, lanes, 0.0);
    std::fill_n(m_grains, lanes, std::numeric_limits<double>::infinity());
    std::fill_n(m_nonzero, lanes, 0.0);
}

void ReductionError::addGrained(LaneValues<double> term, int lanes, bool one, const int64_t *active) {
    for (int i = 0; i < lanes; ++i) {
        if ((active != nullptr && active[i] == 0) || term[i] == 0) continue;
        const int total = one ? 0 : i;
        m_magnitudes[total] += std::fabs(term[i]);
        m_grains[total] = std::min(m_grains[total], grainOf(term[i]));
        ++m_nonzero[total];
    }
}

template <typename T>
void ReductionError::running(LaneValues<T> term, LaneValues<double> error, const T *total, int lanes, bool one,
                             const int64_t *active) {
    const RoundingStep rounding = RoundingStep::to(m_type);
    double sofar = static_cast<double>(total[0]); // of lanes that all go into one
    for (int i = 0; i < lanes; ++i) {
        if (active != nullptr && active[i] == 0) continue;
        double &before = m_errors[one ? 0 : i];
        const double a = one ? sofar : static_cast<double>(total[i]);
        const auto b = static_cast<double>(term[i]);
        double value = 0;
        switch (m_kind) {
        case ReduceKind::Prod:
            value = a * b;
            before =
                settledError(value, a, before, b, error[i], productError(a, before, b, error[i]) + rounding(value));
            break;
        case ReduceKind::Min:
            value = lesserOf(a, b);
            before = minMostError(false, a, before, b, error[i], value);
            break;
        case ReduceKind::Max:
            value = greaterOf(a, b);
            before = minMostError(true, a, before, b, error[i], value);
            break;
        default: // sums of integers
            value = a + b;
            before += error[i];
            break;
        }
        sofar = value;
    }
}

void ReductionError::add(const LaneProgram &program, const LaneState &state, int body, int total, bool one,
                         const int64_t *active) {
    if (m_rule != ErrorRule::Sum && m_rule != ErrorRule::Running) return;
    const int lanes = state.width;
    double room[kLanes];
    const LaneValues<double> error = laneErrors(program, state, body, room);
    if (m_rule == ErrorRule::Running) {
        const LaneState::Register &totals = state.registers[static_cast<size_t>(total)];
        if (totals.ownFloats != nullptr)
            running(program.floats(state, body), error, totals.ownFloats, lanes, one, active);
        else
            running(program.ints(state, body), error, totals.ownInts, lanes, one, active);
        return;
    }
    const LaneValues<double> term = program.floats(state, body);
    if (m_grained) addGrained(term, lanes, one, active);
    const bool bounded = program.bounded(body);
    if (!one && active == nullptr && term.varying) {
        for (int i = 0; i < lanes; ++i) m_squares[i] += finiteSquare(term.at[i]);
        if (bounded)
            for (int i = 0; i < lanes; ++i) m_errors[i] += error[i];
        return;
    }
    for (int i = 0; i < lanes; ++i) {
        if (active != nullptr && active[i] == 0) continue;
        m_squares[one ? 0 : i] += finiteSquare(term[i]);
        if (bounded) m_errors[one ? 0 : i] += error[i];
    }
}

double ReductionError::at(int lane, double sum, double points, double termShare, double termOwn,
                          TermSigns signs) const {
    switch (m_rule) {
    case ErrorRule::Exact:
    case ErrorRule::Combined:
        return 0;
    case ErrorRule::Share:
        return std::isfinite(sum) ? termShare * std::fabs(sum) + termOwn : 0;
    case ErrorRule::Running:
        return m_errors[lane];
    case ErrorRule::Sum:
        break;
    }
    SumFacts facts;
    facts.points = points;
    facts.sum = sum;
    facts.squares = m_squares[lane];
    facts.termErrors = m_errors[lane] + termShare * std::sqrt(points * facts.squares) + points * termOwn;
    facts.signsFollow = signs == TermSigns::Followed;
    if (m_grained) {
        facts.points = std::max(1.0, m_nonzero[lane]); // adding zero rounds nothing
        facts.grain = m_grains[lane];
        facts.magnitudes = m_magnitudes[lane];
    }
    return sumError(facts, m_type);
}

} // namespace loopscope
