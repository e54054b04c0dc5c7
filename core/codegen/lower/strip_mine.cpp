#include "codegen/lower/strip_mine.h"

#include "codegen/loop_ir/walk.h"
#include "language/expr/expr.h"

#include <algorithm>

namespace loopscope {

namespace {

int64_t registersOf(Stmt loop, int64_t extent, int64_t lanes) {
    return loop->loop == LoopKind::Vectorized ? (extent + lanes - 1) / lanes : extent;
}

/// The largest part of the loop that fits: a divisor of its extent, whole vectors where it is vectorized.
int64_t partThatFits(Stmt loop, int64_t lanes, int64_t registers) {
    const int64_t extent = constantExtent(loop);
    for (int64_t part = extent; part > 1; --part) {
        if (extent % part != 0 || registersOf(loop, part, lanes) > registers) continue;
        if (loop->loop == LoopKind::Vectorized && part % lanes != 0) continue;
        return part;
    }
    return 1;
}

} // namespace

int64_t registersOf(const std::vector<Stmt> &tile, int64_t lanes) {
    int64_t count = 1;
    for (const Stmt loop : tile)
        count = std::min<int64_t>(count * registersOf(loop, constantExtent(loop), lanes), 1 << 20);
    return count;
}

Stmt stripMine(Stmt nest, const std::vector<Stmt> &tile, int64_t lanes, int64_t registers) {
    std::vector<Stmt> chain;
    Stmt body = nest;
    for (; body->kind == StmtKind::For; body = body->children[0]) chain.push_back(body);
    if (body->kind != StmtKind::Store || tile.empty() || tile.size() >= chain.size()) return {};
    // Reduce loops first, then the tile.
    const size_t reduces = chain.size() - tile.size();
    for (size_t t = 0; t < tile.size(); ++t)
        if (chain[reduces + t].node() != tile[t].node()) return {};

    struct Moved {
        Stmt loop;
        Expr var;
        int64_t extent;
    };
    std::vector<Moved> moved;
    std::vector<Stmt> kept = tile;
    Substitution map;
    while (!kept.empty() && registersOf(kept, lanes) > registers) {
        const Stmt loop = kept.front();
        const std::vector<Stmt> inner(kept.begin() + 1, kept.end());
        const int64_t left = registers / std::max<int64_t>(1, registersOf(inner, lanes));
        const int64_t part = left > 1 || loop->loop == LoopKind::Vectorized ? partThatFits(loop, lanes, left) : 1;
        const bool fitsInside = registersOf(inner, lanes) <= registers;
        kept.erase(kept.begin());
        if (part == 1 || !fitsInside) {
            if (loop->loop == LoopKind::Vectorized) return {}; // scalars would be worse than memory
            moved.push_back({loop, loop->var, constantExtent(loop)});
            continue;
        }
        const Expr outer = makeVar(loop->var->name());
        StmtNode node = *loop.node();
        node.var = makeVar(loop->var->name());
        node.extent = makeInt(part);
        moved.push_back({loop, outer, constantExtent(loop) / part});
        map.emplace_back(loop->var.node(), outer * part + node.var);
        kept.insert(kept.begin(), makeFor(node, loop->children[0]));
        break;
    }
    if (moved.empty() || registersOf(kept, lanes) > registers) return {};

    const auto replaced = [&](Expr e) { return substitute(e, map); };
    Stmt result = map.empty() ? body : withOwnExprs(body, replaced);
    for (size_t k = kept.size(); k > 0; --k) result = makeFor(*kept[k - 1].node(), result);
    for (size_t r = reduces; r > 0; --r) result = makeFor(*chain[r - 1].node(), result);
    for (size_t m = moved.size(); m > 0; --m) {
        StmtNode node = *moved[m - 1].loop.node();
        node.loop = LoopKind::Serial;
        node.var = moved[m - 1].var;
        node.extent = makeInt(moved[m - 1].extent);
        result = makeFor(node, result);
    }
    return result;
}

} // namespace loopscope
