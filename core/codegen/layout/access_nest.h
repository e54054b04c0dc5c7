#pragma once
// The loops of a schedule and what they touch, as the price of a layout needs it: a tree of loops whose leaves are
// accesses, in program order, with indices that are sums of loop variables, or digits of such sums. Which cell of
// memory an index is, a layout says; so one nest serves all layouts of its tensors.

#include "base/outcome.h"
#include "codegen/layout/layout.h"
#include "codegen/loop_ir/program.h"
#include "language/dag/compute_dag.h"
#include "schedule/loop_state.h"

#include <cstdint>
#include <string>
#include <vector>

namespace loopscope {

/// A summand of an index: ((sum of coefficient x loop + constant) mod `modulus`) div `step`, times `scale`.
struct IndexPart {
    std::vector<std::pair<int, int64_t>> terms = {}; // loop of the nest, coefficient; distinct loops
    int64_t constant = 0;
    int64_t spread = 0;  // the constants of several accesses reach from `constant` to this much more, ...
    int64_t grain = 1;   // ... a multiple of this apart
    int64_t modulus = 0; // none
    int64_t step = 1;
    int64_t scale = 1;
    bool anywhere = false; // depends on data: with the loops in `terms` it may be any element of the axis
};
using AxisIndex = std::vector<IndexPart>;

struct NestTensor {
    std::string name = {};
    const Tensor *tensor = nullptr;  // null: not of the DAG
    std::vector<int64_t> shape = {}; // of what is allocated
    int64_t elementBytes = 4;
    bool movable = false; // it lies in memory as a tensor of its own, so that it may have a layout
};

struct AccessLoop {
    int parent = -1; // the loop around it; -1: none
    int64_t extent = 1;
    bool vectorized = false;
    std::string name = {};
};

struct NestAccess {
    int tensor = 0;
    int loop = -1;   // innermost loop around it that its indices depend on; what lies between runs once (a register)
    int around = -1; // innermost loop around its statement
    bool store = false;
    const Op *op = nullptr; // whose statement it is of; null: of no op of the DAG
    int count = 1;          // accesses that it stands for: neighbours, that differ in constants
    /// A result that registers keep while this loop and those inside it run: loops it does not depend on repeat no
    /// access. -1: none.
    int held = -1;
    bool updates = false; // loads what it stores
    std::vector<AxisIndex> index = {};
};

struct AccessNest {
    std::vector<NestTensor> tensors;
    std::vector<AccessLoop> loops;
    std::vector<NestAccess> accesses; // in program order
    /// Loops around one, outermost first, itself included.
    [[nodiscard]] std::vector<int> pathOf(int loop) const;
    /// Iterations of a loop and those around it.
    [[nodiscard]] double tripsOf(int loop) const;
    [[nodiscard]] bool inside(int loop, int node) const; // or the loop itself; node -1: of everything
    [[nodiscard]] bool dependsOn(const NestAccess &access, int loop) const;
    /// The loop repeats the access, which is not only held in a register meanwhile.
    [[nodiscard]] bool repeats(const NestAccess &access, int loop) const {
        return access.held < 0 || !inside(loop, access.held) || dependsOn(access, loop);
    }
};

/// Of the loops a schedule stands for. Refused where bounds do not exist, and for GPUs' loops.
Outcome<AccessNest> accessNestOf(const LoopState &state);

/// The loops that copy a row-major tensor into a layout: as the layout has them, or where elements of one cache line
/// are read and written far apart, in blocks of 16 x 16.
AccessNest copyNestOf(const Layout &layout, int64_t elementBytes, bool blocked);

/// Accesses of one statement to one tensor that differ in constants alone become one with their spread.
void joinNeighbours(AccessNest &nest);
/// Results of a reduction whose tile fits into registers stay there while it runs.
void holdResults(AccessNest &nest);

} // namespace loopscope
