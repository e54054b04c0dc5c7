#include "codegen/llvm/linear_index.h"

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
