#pragma once
// The bounds of one reduction while its terms are combined: what each output has to remember beside its total so that
// its error is known at the end (error_bound.h).

#include "language/interpret/error_bound.h"
#include "language/interpret/lane_program.h"
#include "language/interpret/term_signs.h"

#include <vector>

namespace loopscope {

/// How the bound of one output follows from its terms.
enum class ErrorRule : uint8_t {
    Exact,    // no rounding anywhere
    Share,    // of the value, as that of each term: least and largest values of such terms
    Sum,      // of floats, in any order
    Running,  // beside the total, step by step
    Combined, // by the instructions of the combiner
};

/// Of output k; `body` the register of its terms.
ErrorRule errorRuleOf(const Reduction &reduction, size_t k, const LaneProgram &program, int body);
/// Every component adds up for itself.
bool sumsOnly(const Combiner &combiner);

/// Per lane, of one output.
class ReductionError {
  public:
    /// `grained`: the terms are likely to be multiples of one number, which is then found out.
    ReductionError(ErrorRule rule, ReduceKind kind, DType type, bool grained)
        : m_rule(rule), m_kind(kind), m_type(type), m_grained(grained) {}

    void restart(int lanes);
    /// Before the term in register `body` is combined with the totals; `one`: all lanes go into one total, in order.
    void add(const LaneProgram &program, const LaneState &state, int body, int total, bool one, const int64_t *active);
    /// Of total `lane`, whose value is `sum`, after `points` terms, each of which is off by termShare*|term| + termOwn
    /// where it has no bound of its own.
    [[nodiscard]] double at(int lane, double sum, double points, double termShare, double termOwn,
                            TermSigns signs) const;
    [[nodiscard]] ErrorRule rule() const { return m_rule; }

  private:
    void addGrained(LaneValues<double> term, int lanes, bool one, const int64_t *active);
    template <typename T>
    void running(LaneValues<T> term, LaneValues<double> error, const T *total, int lanes, bool one,
                 const int64_t *active);

    ErrorRule m_rule;
    ReduceKind m_kind;
    DType m_type;
    bool m_grained;
    double m_squares[kLanes] = {};
    double m_errors[kLanes] = {};
    // Where grained:
    double m_magnitudes[kLanes] = {};
    double m_grains[kLanes] = {};
    double m_nonzero[kLanes] = {}; // terms
};

} // namespace loopscope
