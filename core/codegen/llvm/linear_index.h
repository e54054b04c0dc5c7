#pragma once
// An index as a sum, so that what is constant in it, what a loop adds and what a lane adds can be told apart. Internal
// to codegen.

#include <llvm/ADT/SmallVector.h>

#include <cstdint>

namespace loopscope {

/// constant + sum of coefficient x atom + lane coefficient x lane. Atoms are positions in the table of IndexForms,
/// ascending: values of outer loops come first.
struct LinearIndex {
    struct Term {
        int atom = 0;
        int64_t coefficient = 0;
    };
    llvm::SmallVector<Term, 6> terms;
    int64_t constant = 0;
    int64_t lane = 0;

    static LinearIndex of(int64_t value) {
        LinearIndex form;
        form.constant = value;
        return form;
    }
    [[nodiscard]] bool isConstant() const { return terms.empty() && lane == 0; }
    /// They differ by a constant at most.
    [[nodiscard]] bool sameTerms(const LinearIndex &other) const;
    void add(const LinearIndex &other, int64_t factor = 1);
    void scale(int64_t factor);
};

} // namespace loopscope
