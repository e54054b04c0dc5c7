#include "codegen/cuda/vector_text.h"

#include "codegen/cuda/vector_access.h"
#include "codegen/loop_ir/walk.h"
#include "language/expr/simplify.h"
#include "language/expr/walk.h"

#include <algorithm>
#include <fmt/format.h>

namespace loopscope {

namespace {

const Buffer &bufferOf(Expr load) { return static_cast<const Buffer &>(*load->symbol); }

/// Memory that words are loaded from and stored to; what a thread has of its own is in registers as it is.
bool hasWords(const Buffer &buffer) {
    return buffer.scope == MemoryScope::Argument || buffer.scope == MemoryScope::Heap ||
           buffer.scope == MemoryScope::Shared;
}

/// The choice is the same in every lane.
bool choosesOnce(Expr e, Expr var) {
    return e->kind == ExprKind::Call && e->intrinsic == Intrinsic::IfThenElse && !usesVar(e->arg(0), var);
}

/// Loads that happen whatever the values are, each once.
void alwaysLoaded(Expr e, std::vector<Expr> &loads) {
    if (e->kind == ExprKind::Load) {
        if (std::ranges::none_of(loads, [&](Expr known) { return structurallyEqual(known, e); })) loads.push_back(e);
        return;
    }
    const bool branches = (e->kind == ExprKind::Call && e->intrinsic == Intrinsic::IfThenElse) ||
                          e->kind == ExprKind::And || e->kind == ExprKind::Or;
    if (branches) return alwaysLoaded(e->arg(0), loads);
    for (const Expr operand : e->operands()) alwaysLoaded(operand, loads);
}

bool loadsElsewhere(Expr value, Stmt store) {
    bool found = false;
    postOrder(value, [&](Expr e) {
        if (e->kind != ExprKind::Load || e->symbol != store->buffer) return;
        const std::span<const Expr> own = store->index();
        found = found || !std::ranges::equal(e->operands(), own, structurallyEqual);
    });
    return found;
}

} // namespace

struct VectorText::Lanes {
    Expr load;
    const Buffer *array;
    int64_t wordBytes;
};

bool VectorText::write(Stmt loop) {
    const int64_t extent = constantExtent(loop);
    if (extent < 2 || (loop->min && !isInt(loop->min, 0))) return false;
    std::vector<Stmt> guards;
    Stmt store = loop->children[0];
    for (; store->kind == StmtKind::If && store->childCount == 1 && !usesVar(store->value, loop->var);
         store = store->children[0])
        guards.push_back(store);
    if (store->kind != StmtKind::Store) return false;
    const Expr value = store->value;
    bool lets = false;
    postOrder(value, [&](Expr e) { lets = lets || e->kind == ExprKind::Let; });
    if (lets || loadsElsewhere(value, store)) return false;
    const auto access = [&](const Buffer &buffer, std::span<const Expr> indices) {
        return laneAccess(buffer, indices, loop->var, extent, m_text.expr.ranges());
    };
    const LaneAccess to = access(*store->buffer, store->index());
    if (to.invariant) return false; // a sum over the lanes
    bool words = hasWords(*store->buffer) && to.asWords(store->buffer->dtype);
    postOrder(value, [&](Expr e) {
        if (words || e->kind != ExprKind::Load || !hasWords(bufferOf(e))) return;
        words = access(bufferOf(e), e->operands()).asWords(e->dtype);
    });
    if (!words) return false;

    const ArenaPtr arena = std::make_shared<ExprArena>();
    const ArenaScope scope(arena);
    for (const Stmt guard : guards) {
        m_text.lines.line("if (" + bareCondition(m_text.expr.value(guard->value)) + ") {", m_text.at(guard));
        m_text.lines.deeper();
    }
    const std::string &var = m_text.expr.declare(loop->var, Interval::upTo(extent));
    writeValue(loop, store, value, !guards.empty());
    m_text.expr.forget();
    m_text.names.giveBack(var);
    for (size_t i = 0; i < guards.size(); ++i) {
        m_text.lines.back();
        m_text.lines.line("}");
    }
    return true;
}

/// A load that must not happen where its condition fails, as that of padding, is a word in its branch.
void VectorText::writeValue(Stmt loop, Stmt store, Expr value, bool braced) {
    if (choosesOnce(value, loop->var)) {
        m_text.lines.line("if (" + bareCondition(m_text.expr.value(value->arg(0))) + ") {", m_text.at(store));
        m_text.lines.deeper();
        writeValue(loop, store, value->arg(1), true);
        m_text.lines.back();
        m_text.lines.line("} else {");
        m_text.lines.deeper();
        writeValue(loop, store, value->arg(2), true);
        m_text.lines.back();
        return m_text.lines.line("}");
    }
    const int64_t extent = constantExtent(loop);
    if (value->kind == ExprKind::Load && value->dtype == store->buffer->dtype && hasWords(*store->buffer) &&
        hasWords(bufferOf(value))) {
        const VarRanges ranges = m_text.expr.ranges();
        const LaneAccess to = laneAccess(*store->buffer, store->index(), loop->var, extent, ranges);
        const LaneAccess from = laneAccess(bufferOf(value), value->operands(), loop->var, extent, ranges);
        if (to.asWords(value->dtype) && from.asWords(value->dtype))
            return moveWords(loop, value->dtype, std::min(to.wordBytes, from.wordBytes), *store->buffer, store->index(),
                             bufferOf(value), value->operands());
    }
    writeComputed(loop, store, value, braced);
}

const Buffer &VectorText::lanesOf(const Buffer &buffer, int64_t count) {
    auto lanes = std::make_unique<Buffer>();
    lanes->name = buffer.name + ".lanes";
    lanes->dtype = buffer.dtype;
    lanes->shape = {count};
    lanes->strides = {1};
    lanes->scope = MemoryScope::Local;
    m_lanes.push_back(std::move(lanes));
    return *m_lanes.back();
}

void VectorText::writeComputed(Stmt loop, Stmt store, Expr value, bool braced) {
    CExprWriter &expr = m_text.expr;
    const int64_t extent = constantExtent(loop);
    const int line = m_text.at(loop);
    const auto declare = [&](const Buffer &lanes) {
        m_text.lines.line(
            fmt::format("__align__({}) {} {}[{}];", kWidestWord, expr.storageType(lanes), expr.nameOf(lanes), extent),
            line);
    };
    if (!braced) m_text.lines.line("{");
    if (!braced) m_text.lines.deeper();
    const Expr lane[] = {loop->var};
    std::vector<Expr> loads;
    alwaysLoaded(value, loads);
    std::vector<Lanes> loaded;
    for (const Expr load : loads) {
        const Buffer &from = bufferOf(load);
        const LaneAccess access = laneAccess(from, load->operands(), loop->var, extent, expr.ranges());
        if (!hasWords(from) || !access.asWords(from.dtype)) continue;
        loaded.push_back({load, &lanesOf(from, extent), access.wordBytes});
        declare(*loaded.back().array);
        moveWords(loop, from.dtype, access.wordBytes, *loaded.back().array, lane, from, load->operands());
    }
    const Expr computed = rewriteBottomUp(value, [&](Expr e) {
        if (e->kind != ExprKind::Load) return e;
        for (const Lanes &lanes : loaded)
            if (structurallyEqual(lanes.load, e)) return makeLoad(*lanes.array, lane);
        return e;
    });
    const Buffer &to = *store->buffer;
    const LaneAccess access = laneAccess(to, store->index(), loop->var, extent, expr.ranges());
    const bool words = hasWords(to) && access.asWords(to.dtype);
    const Buffer &result = words ? lanesOf(to, extent) : to;
    if (words) declare(result);
    const std::string var = expr.value(loop->var);
    m_text.lines.line("#pragma unroll", line);
    m_text.lines.line(fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{", var, extent), line);
    m_text.lines.deeper();
    const std::string element = words ? expr.element(result, lane) : expr.element(to, store->index());
    m_text.lines.line(element + " = " + expr.stored(to, computed) + ";", m_text.at(store));
    m_text.lines.back();
    m_text.lines.line("}");
    if (words) moveWords(loop, to.dtype, access.wordBytes, to, store->index(), result, lane);
    if (!braced) m_text.lines.back();
    if (!braced) m_text.lines.line("}");
}

std::string VectorText::wordOf(const Buffer &buffer, std::span<const Expr> indices, Stmt loop, bool oneWord) {
    if (!oneWord) return m_text.expr.element(buffer, indices);
    Simplifier simplify;
    for (const VarRange &known : m_text.expr.ranges()) simplify.bindRange(Expr(known.var), known.range);
    simplify.bindValue(loop->var, SplitSum{});
    std::vector<Expr> first;
    for (const Expr index : indices) first.push_back(simplify(index));
    return m_text.expr.element(buffer, first);
}

void VectorText::moveWords(Stmt loop, DType type, int64_t wordBytes, const Buffer &to, std::span<const Expr> toIndices,
                           const Buffer &from, std::span<const Expr> fromIndices) {
    const int64_t lanes = wordBytes / dtypeBytes(type);
    const int64_t extent = constantExtent(loop);
    const bool oneWord = lanes == extent;
    const int line = m_text.at(loop);
    if (!oneWord) {
        m_text.lines.line("#pragma unroll", line);
        m_text.lines.line(
            fmt::format("for (int {0} = 0; {0} < {1}; {0} += {2})", m_text.expr.value(loop->var), extent, lanes), line);
        m_text.lines.deeper();
    }
    m_text.lines.line(fmt::format("*({0} *)&{1} = *(const {0} *)&{2};", wordType(type, wordBytes),
                                  wordOf(to, toIndices, loop, oneWord), wordOf(from, fromIndices, loop, oneWord)),
                      line);
    if (!oneWord) m_text.lines.back();
}

} // namespace loopscope
