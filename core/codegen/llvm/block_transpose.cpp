#include "codegen/llvm/block_transpose.h"

#include "language/expr/walk.h"

#include <llvm/ADT/SmallVector.h>

#include <bit>

namespace loopscope {

namespace {

constexpr int kMinLanes = 4;
constexpr int kMaxLanes = 16;         // the block is held in as many registers
constexpr int64_t kMaxBlocksWide = 8; // written out next to each other

using Rows = llvm::SmallVector<llvm::Value *, kMaxLanes>;

/// Exchanges rows and columns, a bit of their numbers at a time: of two rows that differ in it, each takes the half of
/// the other in which the columns differ from it.
void transposeRows(Rows &rows, llvm::IRBuilder<> &builder) {
    const int count = static_cast<int>(rows.size());
    for (int bit = 1; bit < count; bit *= 2) {
        llvm::SmallVector<int, kMaxLanes> low;
        llvm::SmallVector<int, kMaxLanes> high;
        for (int column = 0; column < count; ++column) {
            const bool set = (column & bit) != 0;
            low.push_back(set ? count + column - bit : column);
            high.push_back(set ? count + column : column + bit);
        }
        for (int row = 0; row < count; ++row) {
            if ((row & bit) != 0) continue;
            llvm::Value *first = rows[static_cast<size_t>(row)];
            llvm::Value *second = rows[static_cast<size_t>(row + bit)];
            rows[static_cast<size_t>(row)] = builder.CreateShuffleVector(first, second, low);
            rows[static_cast<size_t>(row + bit)] = builder.CreateShuffleVector(first, second, high);
        }
    }
}

} // namespace

std::optional<TransposingCopy> transposingCopy(const StmtNode &loop, const Target &target, const UnrollPlan &plan) {
    const auto isSerial = [](const StmtNode &node) {
        return node.kind == StmtKind::For && (node.loop == LoopKind::Serial || node.loop == LoopKind::Unrolled);
    };
    if (!isSerial(loop)) return std::nullopt;
    TransposingCopy copy;
    copy.outer = &loop;
    copy.inner = loop.body()[0].node();
    for (; isSerial(*copy.inner); copy.inner = copy.inner->body()[0].node()) {
        if (copy.inner->min || copy.inner->extent->kind != ExprKind::IntImm) return std::nullopt;
        copy.between.push_back(copy.inner);
    }
    if (copy.inner->kind != StmtKind::For || !plan.vectorizes(*copy.inner) ||
        copy.inner->body()[0]->kind != StmtKind::Store)
        return std::nullopt;
    copy.store = copy.inner->body()[0].node();
    const Expr value = copy.store->value;
    if (value->kind != ExprKind::Load || value->dtype != copy.store->buffer->dtype) return std::nullopt;
    const auto &from = static_cast<const Buffer &>(*value->symbol);
    if (&from == copy.store->buffer || from.scope == MemoryScope::Register ||
        copy.store->buffer->scope == MemoryScope::Register)
        return std::nullopt;
    for (const Expr index : copy.store->index())
        if (containsLoad(index)) return std::nullopt;
    for (const Expr index : value->operands())
        if (containsLoad(index)) return std::nullopt;
    copy.lanes = chunkLanes(*copy.inner, std::max(16, target.vectorBytes));
    if (copy.lanes < kMinLanes || copy.lanes > kMaxLanes || !std::has_single_bit(static_cast<unsigned>(copy.lanes)))
        return std::nullopt;
    for (const StmtNode *own : {copy.outer, copy.inner}) {
        const bool whole = own->extent->kind == ExprKind::IntImm && own->extent->intValue > 0 &&
                           own->extent->intValue % copy.lanes == 0;
        if (!whole) return std::nullopt;
    }
    if (copy.inner->extent->intValue > kMaxBlocksWide * copy.lanes) return std::nullopt;
    return copy;
}

BlockTranspose::BlockTranspose(const TransposingCopy &copy, EmitContext &context, IndexForms &forms,
                               MemoryEmitter &memory)
    : m_copy(copy), m_context(context), m_forms(forms), m_memory(memory) {}

void BlockTranspose::bind(const LinearIndex &outer, const LinearIndex &inner, bool lanesAlongOuter, int64_t other) {
    LinearIndex down = outer;
    LinearIndex across = inner;
    (lanesAlongOuter ? down : across).lane = 1;
    (lanesAlongOuter ? across : down).constant += other;
    m_forms.bind(m_copy.outer->var, down);
    m_forms.bind(m_copy.inner->var, across);
}

bool BlockTranspose::helps(const LinearIndex &outer, const LinearIndex &inner) {
    const Lanes::Scope lanes = m_context.lanes.chunk(m_copy.lanes, m_copy.lanes);
    const auto reads = [&] {
        return m_memory.laneStride(static_cast<const Buffer &>(*m_copy.store->value->symbol),
                                   m_copy.store->value->operands());
    };
    const auto writes = [&] { return m_memory.laneStride(*m_copy.store->buffer, m_copy.store->index()); };
    bind(outer, inner, true, 0);
    const std::optional<int64_t> readsDown = reads();
    const std::optional<int64_t> writesDown = writes();
    bind(outer, inner, false, 0);
    const std::optional<int64_t> readsAcross = reads();
    const std::optional<int64_t> writesAcross = writes();
    m_forms.unbind(m_copy.outer->var);
    m_forms.unbind(m_copy.inner->var);
    if (!readsDown || !writesDown || !readsAcross || !writesAcross) return false;
    m_readsAlongOuter = *readsDown == 1;
    return m_readsAlongOuter ? *readsAcross > 1 && *writesAcross == 1
                             : *readsAcross == 1 && *writesAcross > 1 && *writesDown == 1;
}

void BlockTranspose::emit(const LinearIndex &outer, const LinearIndex &inner) {
    const Lanes::Scope lanes = m_context.lanes.chunk(m_copy.lanes, m_copy.lanes);
    Rows rows;
    for (int64_t row = 0; row < m_copy.lanes; ++row) {
        bind(outer, inner, m_readsAlongOuter, row);
        rows.push_back(m_memory.load(m_copy.store->value));
    }
    transposeRows(rows, m_context.builder);
    for (int64_t row = 0; row < m_copy.lanes; ++row) {
        bind(outer, inner, !m_readsAlongOuter, row);
        m_memory.store(*m_copy.store->buffer, m_copy.store->index(), rows[static_cast<size_t>(row)]);
    }
}

} // namespace loopscope
