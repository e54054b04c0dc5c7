#include "codegen/llvm/linear_index.h"

#include <algorithm>

namespace loopscope {

void LinearIndex::add(const LinearIndex &other, int64_t factor) {
    constant += other.constant * factor;
    lane += other.lane * factor;
    for (const Term &term : other.terms) {
        auto *at = terms.begin();
        while (at != terms.end() && at->atom < term.atom) ++at;
        if (at != terms.end() && at->atom == term.atom) {
            at->coefficient += term.coefficient * factor;
            if (at->coefficient == 0) terms.erase(at);
        } else if (factor != 0) {
            terms.insert(at, {term.atom, term.coefficient * factor});
        }
    }
}

bool LinearIndex::sameTerms(const LinearIndex &other) const {
    return lane == other.lane &&
           std::equal(terms.begin(), terms.end(), other.terms.begin(), other.terms.end(),
                      [](const Term &a, const Term &b) { return a.atom == b.atom && a.coefficient == b.coefficient; });
}

void LinearIndex::scale(int64_t factor) {
    if (factor == 0) {
        *this = LinearIndex();
        return;
    }
    constant *= factor;
    lane *= factor;
    for (Term &term : terms) term.coefficient *= factor;
}

} // namespace loopscope
