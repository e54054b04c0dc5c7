// Statements other than loops and stores.
#include "codegen/llvm/emitter.h"

#include "check.h"

#include <llvm/IR/MDBuilder.h>

namespace loopscope {

void Emitter::emitStmt(Stmt stmt) {
    const StmtNode &node = *stmt.node();
    setLine(node);
    switch (node.kind) {
    case StmtKind::Block:
        for (Stmt child : node.body()) emitStmt(child);
        return;
    case StmtKind::For:
        emitFor(node);
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
        throw ProgramRefused{"a barrier has no meaning in a CPU kernel; it belongs to a GPU schedule"};
    }
}

void Emitter::emitIf(const StmtNode &branch) {
    const size_t atoms = m_atoms.size();
    llvm::Value *condition = emitValue(branch.value);
    const Stmt otherwise = branch.childCount > 1 ? branch.children[1] : Stmt();
    if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(condition)) {
        if (known->isOne())
            emitStmt(branch.children[0]);
        else if (otherwise)
            emitStmt(otherwise);
        return;
    }
    if (isVector(condition)) {
        const LaneState outer = m_lanes;
        m_lanes.mask = andMask(condition);
        emitStmt(branch.children[0]);
        m_lanes = outer;
        if (otherwise) {
            m_lanes.mask = andMask(m_builder.CreateNot(condition));
            emitStmt(otherwise);
            m_lanes = outer;
        }
        return;
    }
    auto *thenBlock = llvm::BasicBlock::Create(m_context, "then", m_function);
    auto *elseBlock = otherwise ? llvm::BasicBlock::Create(m_context, "else", m_function) : nullptr;
    auto *after = llvm::BasicBlock::Create(m_context, "after", m_function);
    llvm::MDNode *weights = branch.likely ? llvm::MDBuilder(m_context).createLikelyBranchWeights() : nullptr;
    m_builder.CreateCondBr(condition, thenBlock, elseBlock ? elseBlock : after, weights);
    const auto side = [&](llvm::BasicBlock *block, Stmt body, bool holds) {
        const std::vector<Atom> known = m_atoms;
        m_builder.SetInsertPoint(block);
        assume(branch.value, holds);
        emitStmt(body);
        m_builder.CreateBr(after);
        m_atoms = known;
    };
    side(thenBlock, branch.children[0], true);
    if (elseBlock) side(elseBlock, otherwise, false);
    m_builder.SetInsertPoint(after);
    m_atoms.resize(atoms);
}

void Emitter::emitLet(const StmtNode &let) {
    const size_t atoms = m_atoms.size();
    Binding binding;
    if (!tryForm(let.value, binding.form)) binding.value = emitValue(let.value);
    m_bindings[let.var.node()] = binding;
    emitStmt(let.children[0]);
    m_bindings.erase(let.var.node());
    m_atoms.resize(atoms);
}

void Emitter::emitAllocate(const StmtNode &allocate) {
    const Buffer &buffer = *allocate.buffer;
    Storage storage;
    storage.strides.assign(buffer.strides.begin(), buffer.strides.end());
    storage.laneCopies = m_lanes.width > 1 ? m_lanes.width : 0;
    int64_t elements = buffer.elements();
    if (buffer.scope == MemoryScope::Register && !buffer.shape.empty() && storage.laneCopies == 0) {
        // Rows of whole vectors, so that a partial vector never touches its neighbour and the row stays in registers.
        const int64_t row = buffer.shape.back();
        const int64_t lanes = std::max(1, m_target.vectorBytes / dtypeBytes(buffer.dtype));
        int64_t padded = row;
        if (row > 2) {
            int64_t chunk = 1;
            while (chunk < lanes && chunk < row) chunk *= 2;
            padded = (row + chunk - 1) / chunk * chunk;
        }
        int64_t stride = 1;
        for (size_t d = buffer.shape.size(); d-- > 0;) {
            storage.strides[d] = stride;
            stride *= d + 1 == buffer.shape.size() ? padded : buffer.shape[d];
        }
        elements = stride;
    }
    elements *= std::max(1, storage.laneCopies);

    const bool heap = buffer.scope == MemoryScope::Heap;
    if (heap) {
        llvm::Value *function = runtimeField(1);
        auto *type = llvm::FunctionType::get(m_builder.getPtrTy(), {m_builder.getInt64Ty()}, false);
        auto *call = m_builder.CreateCall(type, function, {m_builder.getInt64(elements * dtypeBytes(buffer.dtype))});
        call->addRetAttr(llvm::Attribute::NoAlias);
        call->addRetAttr(llvm::Attribute::NonNull);
        call->addRetAttr(llvm::Attribute::getWithAlignment(m_context, llvm::Align(64)));
        storage.base = call;
    } else {
        auto *type = llvm::ArrayType::get(memoryType(buffer.dtype), uint64_t(elements));
        storage.base = entryAlloca(type, buffer.name);
    }
    const auto [at, fresh] = m_storage.emplace(&buffer, storage);
    LOOPSCOPE_CHECK(fresh, "buffer allocated twice: " + buffer.name);
    emitStmt(allocate.children[0]);
    m_storage.erase(at->first);
    if (heap) {
        auto *type = llvm::FunctionType::get(m_builder.getVoidTy(), {m_builder.getPtrTy()}, false);
        m_builder.CreateCall(type, runtimeField(2), {storage.base});
    }
}

} // namespace loopscope
