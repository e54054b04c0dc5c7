#include "codegen/lower/tile_order.h"

#include "codegen/loop_ir/walk.h"
#include "codegen/lower/strip_mine.h"
#include "language/expr/walk.h"

#include <algorithm>
#include <numeric>

namespace loopscope {

namespace {

constexpr size_t kMaxLoops = 5; // of which every order is looked at

/// What is loaded, by the loops it changes along; the sums themselves are not among it.
void collectUses(Expr e, const std::vector<Stmt> &tile, Stmt update, std::vector<std::vector<bool>> &uses) {
    if (e->kind == ExprKind::Load && e->symbol != update->buffer) {
        std::vector<bool> of;
        for (const Stmt loop : tile) of.push_back(usesVar(e, loop->var));
        uses.push_back(std::move(of));
    }
    for (const Expr operand : e->operands()) collectUses(operand, tile, update, uses);
}

/// Values that wait in registers while the loops run in that order: what does not change along the outermost loop waits
/// for all its iterations.
int64_t waiting(const std::vector<size_t> &order, const std::vector<int64_t> &extents,
                const std::vector<std::vector<bool>> &uses) {
    int64_t sum = 0;
    for (const std::vector<bool> &of : uses) {
        if (std::find(of.begin(), of.end(), false) == of.end()) { // used once, as soon as it is there
            ++sum;
            continue;
        }
        int64_t count = 1;
        for (size_t i = of[order.front()] ? 1 : 0; i < order.size(); ++i)
            if (of[order[i]]) count *= extents[order[i]];
        sum += count;
    }
    return sum;
}

} // namespace

std::vector<Stmt> orderOfTile(const std::vector<Stmt> &tile, Stmt update, int64_t lanes, int64_t registers) {
    const bool vectorised = !tile.empty() && tile.back()->loop == LoopKind::Vectorized;
    const size_t movable = tile.size() - (vectorised ? 1 : 0);
    if (movable < 2 || movable > kMaxLoops) return tile;
    std::vector<int64_t> extents;
    for (const Stmt loop : tile) extents.push_back(registersOf({loop}, lanes));
    std::vector<std::vector<bool>> uses;
    collectUses(update->value, tile, update, uses);

    std::vector<size_t> order(tile.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::vector<size_t> best = order;
    int64_t least = waiting(order, extents, uses);
    if (registersOf(tile, lanes) + least <= registers) return tile;
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(movable);
    while (std::next_permutation(order.begin(), end)) {
        const int64_t count = waiting(order, extents, uses);
        if (count >= least) continue;
        least = count;
        best = order;
    }
    std::vector<Stmt> loops;
    for (const size_t i : best) loops.push_back(tile[i]);
    return loops;
}

} // namespace loopscope
