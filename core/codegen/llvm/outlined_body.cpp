#include "codegen/llvm/outlined_body.h"

#include "base/check.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/InstIterator.h>

#include <map>
#include <vector>

namespace loopscope {

namespace {

/// Numbers of a function's values in the order of its text.
llvm::DenseMap<const llvm::Value *, unsigned> placesOf(const llvm::Function &function) {
    llvm::DenseMap<const llvm::Value *, unsigned> places;
    for (const llvm::Argument &argument : function.args()) places[&argument] = places.size();
    for (const llvm::Instruction &instruction : llvm::instructions(function)) places[&instruction] = places.size();
    return places;
}

} // namespace

OutlinedBody::OutlinedBody(EmitContext &context, ModuleFrame &frame, IndexForms &forms, MemoryEmitter &memory,
                           const StmtNode &loop)
    : m_builder(context.builder), m_frame(frame), m_forms(forms), m_memory(memory), m_outerForms(forms.known()),
      m_outerStorage(memory.known()), m_outer(frame.place()) {
    // By place in the function: the tables are in the order of addresses, which the code must not depend on.
    std::map<unsigned, std::vector<llvm::Value **>> captured;
    const auto places = placesOf(*m_outer.function);
    const auto capture = [&](llvm::Value *&value) {
        if (llvm::isa<llvm::Constant>(value)) return;
        const auto found = places.find(value);
        LOOPSCOPE_CHECK(found != places.end(), "a parallel loop needs a value of another function");
        captured[found->second].push_back(&value);
    };
    ModuleFrame::Place inner = m_outer;
    for (llvm::Value **value : m_forms.values()) capture(*value);
    for (llvm::Value **value : m_memory.values()) capture(*value);
    capture(inner.runtime);

    llvm::Type *slots = llvm::ArrayType::get(m_builder.getInt64Ty(), captured.size());
    m_captured = m_frame.entryAlloca(slots, "captured");
    uint64_t slot = 0;
    for (const auto &[at, users] : captured)
        m_builder.CreateStore(*users.front(), m_builder.CreateConstInBoundsGEP2_64(slots, m_captured, 0, slot++));

    auto *i64 = m_builder.getInt64Ty();
    m_place = m_builder.saveIP();
    m_line = m_builder.getCurrentDebugLocation();
    m_body = m_frame.makeBody(llvm::FunctionType::get(m_builder.getVoidTy(), {i64, i64, m_builder.getPtrTy()}, false));
    inner.function = m_body;
    m_frame.setPlace(inner);
    m_builder.SetInsertPoint(m_frame.newBlock("entry"));
    m_frame.setLine(loop);
    slot = 0;
    for (const auto &[at, users] : captured) {
        llvm::Value *from = m_builder.CreateConstInBoundsGEP2_64(slots, m_body->getArg(2), 0, slot++);
        auto *value = m_builder.CreateLoad((*users.front())->getType(), from);
        value->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context.llvm, {}));
        for (llvm::Value **user : users) *user = value;
    }
    m_frame.setPlace(inner);
}

void OutlinedBody::finish() {
    m_builder.CreateRetVoid();
    m_forms.restore(std::move(m_outerForms));
    m_memory.restore(std::move(m_outerStorage));
    m_frame.setPlace(m_outer);
    m_builder.restoreIP(m_place);
    m_builder.SetCurrentDebugLocation(m_line);
}

} // namespace loopscope
