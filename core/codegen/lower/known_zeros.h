#pragma once
// Terms that are zero unless a sum of loop variables leaves a certain remainder: a condition in the term says so, or an
// intermediate that was filled under such a condition. An input spread out by a stride is the one or the other,
// depending on where its zeros were made.

#include "codegen/loop_ir/program.h"
#include "language/expr/simplify.h"

#include <map>
#include <vector>

namespace loopscope {

/// The term is zero unless `linear % modulus == remainder`.
struct Congruence {
    Expr part; // of the term: the condition or the load that says so
    SplitSum linear;
    int64_t modulus = 1;
    int64_t remainder = 0;
    [[nodiscard]] Expr holds() const;
};

class KnownZeros {
  public:
    /// Learns of the intermediates of a program.
    explicit KnownZeros(Stmt root);
    /// `simplifier` knows the ranges of the variables in the term.
    std::vector<Congruence> of(Expr term, Simplifier &simplifier) const;

  private:
    class Learner;
    /// Elements are zero unless their index in `dimension` leaves the remainder.
    struct Lattice {
        uint32_t dimension = 0;
        int64_t modulus = 1;
        int64_t remainder = 0;
    };
    std::map<const TensorSymbol *, std::vector<Lattice>> m_lattices;
};

} // namespace loopscope
