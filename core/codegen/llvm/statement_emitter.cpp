#include "codegen/llvm/statement_emitter.h"

#include "codegen/llvm/emit_module.h"
#include "codegen/loop_ir/walk.h"

#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/MDBuilder.h>

#include <algorithm>
#include <vector>

namespace loopscope {

StatementEmitter::StatementEmitter(EmitContext &context, ModuleFrame &frame, IndexForms &forms, ValueEmitter &values,
                                   MemoryEmitter &memory, LoopEmitter &loops)
    : m_builder(context.builder), m_lanes(context.lanes), m_frame(frame), m_forms(forms), m_values(values),
      m_memory(memory), m_loops(loops), m_onGpu(context.target.isGpu()) {}

void StatementEmitter::emit(Stmt stmt) {
    const StmtNode &node = *stmt.node();
    m_frame.setLine(node);
    switch (node.kind) {
    case StmtKind::Block:
        for (Stmt child : node.body()) emit(child);
        return;
    case StmtKind::For:
        m_loops.emit(node);
        return;
    case StmtKind::Store:
        emitStore(node);
        return;
    case StmtKind::If:
        emitIf(node);
        return;
    case StmtKind::Let:
        emitLet(node);
        return;
    case StmtKind::Allocate:
        emitAllocate(node);
        return;
    case StmtKind::Barrier:
        if (m_onGpu) {
            m_builder.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier0, {}, {});
            return;
        }
        throw ProgramRefused{"a barrier has no meaning in a CPU kernel; it belongs to a GPU schedule"};
    }
}

void StatementEmitter::emitIf(const StmtNode &branch) {
    const IndexForms::Scope scope(m_forms);
    llvm::Value *condition = m_values.emit(branch.value);
    const Stmt otherwise = branch.childCount > 1 ? branch.children[1] : Stmt();
    if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(condition)) {
        if (known->isOne())
            emit(branch.children[0]);
        else if (otherwise)
            emit(otherwise);
        return;
    }
    if (Lanes::isVector(condition)) {
        {
            const Lanes::Scope then = m_lanes.where(condition);
            emit(branch.children[0]);
        }
        if (otherwise) {
            const Lanes::Scope opposite = m_lanes.where(m_builder.CreateNot(condition));
            emit(otherwise);
        }
        return;
    }
    auto *thenBlock = m_frame.newBlock("then");
    auto *elseBlock = otherwise ? m_frame.newBlock("else") : nullptr;
    auto *after = m_frame.newBlock("after");
    llvm::MDNode *weights =
        branch.likely ? llvm::MDBuilder(m_builder.getContext()).createLikelyBranchWeights() : nullptr;
    m_builder.CreateCondBr(condition, thenBlock, elseBlock ? elseBlock : after, weights);
    const auto side = [&](llvm::BasicBlock *block, Stmt body, bool holds) {
        m_builder.SetInsertPoint(block);
        const IndexForms::Assumption known(m_forms, branch.value, holds);
        emit(body);
        m_builder.CreateBr(after);
    };
    side(thenBlock, branch.children[0], true);
    if (elseBlock) side(elseBlock, otherwise, false);
    m_builder.SetInsertPoint(after);
}

void StatementEmitter::emitStore(const StmtNode &store) {
    const IndexForms::Scope scope(m_forms);
    m_memory.store(*store.buffer, store.index(), m_values.emit(store.value));
}

void StatementEmitter::emitLet(const StmtNode &let) {
    const IndexForms::Scope scope(m_forms);
    m_forms.bindTo(let.var, let.value);
    emit(let.children[0]);
    m_forms.unbind(let.var);
}

void StatementEmitter::emitAllocate(const StmtNode &allocate) {
    std::vector<const Buffer *> buffers = {allocate.buffer};
    Stmt body = allocate.children[0];
    for (; body->kind == StmtKind::Allocate; body = body->children[0]) buffers.push_back(body->buffer);
    std::vector<Turn> turns;
    for (const Buffer *buffer : buffers)
        if (const std::optional<Turn> turn = turnOf(*buffer, body))
            turns.push_back(*turn);
        else
            m_memory.allocate(*buffer);
    if (turns.empty()) {
        emit(body);
    } else {
        m_frame.setLine(*body.node());
        for (size_t i = 0; i < body->body().size(); ++i) {
            for (const Turn &turn : turns)
                if (turn.first == i) m_memory.allocate(*turn.buffer);
            emit(body->body()[i]);
            for (const Turn &turn : turns)
                if (turn.last == i) m_memory.release(*turn.buffer);
        }
    }
    std::erase_if(buffers, [&](const Buffer *buffer) {
        return std::ranges::any_of(turns, [&](const Turn &turn) { return turn.buffer == buffer; });
    });
    for (size_t i = buffers.size(); i-- > 0;) m_memory.release(*buffers[i]);
}

std::optional<StatementEmitter::Turn> StatementEmitter::turnOf(const Buffer &buffer, Stmt body) {
    if (buffer.scope != MemoryScope::Heap || body->kind != StmtKind::Block) return std::nullopt;
    std::optional<Turn> turn;
    for (size_t i = 0; i < body->body().size(); ++i) {
        if (!touches(body->body()[i], &buffer)) continue;
        if (!turn) turn = Turn{&buffer, i, i};
        turn->last = i;
    }
    return turn;
}

} // namespace loopscope
