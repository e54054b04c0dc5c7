#pragma once
// Where the threads of a block wait for each other. What must not overtake what is the caller's to say; that barriers
// stand where all threads come by, beside whole nests, outside of loops where that does, and that a barrier which is
// there already serves, is the same for all.

#include "codegen/loop_ir/program.h"

#include <functional>
#include <set>

namespace loopscope {

/// Shared buffers that a statement writes, reads for another stage than the one that writes them, and reads at all.
struct SharedAccesses {
    std::set<const Buffer *> written; // none of the sets is walked to decide an order
    std::set<const Buffer *> read;
    std::set<const Buffer *> readByAny;

    void add(const SharedAccesses &other);
    [[nodiscard]] bool holds(const SharedAccesses &other) const;
};

using MustWait = std::function<bool(const SharedAccesses &earlier, const SharedAccesses &later)>;

/// The program with as many barriers more as it takes.
Stmt withBarriers(Stmt root, const MustWait &mustWait);

} // namespace loopscope
