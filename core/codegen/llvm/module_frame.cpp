#include "codegen/llvm/module_frame.h"

#include "base/check.h"
#include "codegen/loop_ir/shared_layout.h"
#include "codegen/loop_ir/walk.h"
#include "codegen/runtime_abi.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/MDBuilder.h>

#include <set>
#include <vector>

namespace loopscope {

namespace {

/// Shared buffers whose bytes others may have before and after them.
std::set<const Buffer *> placedBuffers(const LoopProgram &program) {
    std::set<const Buffer *> placed; // only looked up
    if (!program.root) return placed;
    forEachStmt(program.root, [&](Stmt s) {
        if (s->kind == StmtKind::Allocate && allocatedAt(s) >= 0) placed.insert(s->buffer);
    });
    return placed;
}

} // namespace

ModuleFrame::ModuleFrame(EmitContext &context, bool debugLines)
    : m_program(context.program), m_target(context.target), m_context(context.llvm), m_builder(context.builder),
      m_module(std::make_unique<llvm::Module>("loopscope", context.llvm)) {
    if (debugLines) beginDebug();
    listAliases();
}

void ModuleFrame::listAliases() {
    // Distinct buffers never overlap; said per access because outlined bodies see the pointers as loaded values. Those
    // that lie at places of one piece of shared memory may have the same bytes, one after the other: they are as one.
    llvm::MDBuilder metadata(m_context);
    llvm::MDNode *domain = metadata.createAnonymousAliasScopeDomain("loopscope");
    std::vector<llvm::Metadata *> scopes;
    const std::set<const Buffer *> placed = placedBuffers(m_program);
    llvm::MDNode *ofPlaced = metadata.createAnonymousAliasScope(domain, "shared_memory");
    for (const auto &buffer : m_program.buffers)
        scopes.push_back(placed.contains(buffer.get()) ? ofPlaced
                                                       : metadata.createAnonymousAliasScope(domain, buffer->name));
    for (size_t i = 0; i < m_program.buffers.size(); ++i) {
        std::vector<llvm::Metadata *> others = scopes;
        std::erase(others, scopes[i]);
        m_alias[m_program.buffers[i].get()] = {llvm::MDNode::get(m_context, scopes[i]),
                                               llvm::MDNode::get(m_context, others)};
    }
}

llvm::Function *ModuleFrame::makeFunction(llvm::FunctionType *type, const std::string &name, bool external) {
    auto *function = llvm::Function::Create(
        type, external ? llvm::Function::ExternalLinkage : llvm::Function::InternalLinkage, name, m_module.get());
    function->setDoesNotThrow();
    if (!m_target.isGpu()) {
        function->addFnAttr("target-cpu", m_target.cpu);
        if (!m_target.features.empty()) function->addFnAttr("target-features", m_target.features);
        // LLVM splits 512-bit vectors on many CPUs unless told that they are wanted.
        const std::string bits = std::to_string(std::max(128, m_target.vectorBytes * 8));
        function->addFnAttr("prefer-vector-width", bits);
        function->addFnAttr("min-legal-vector-width", bits);
    }
    function->addFnAttr("no-trapping-math", "true");
    for (llvm::Argument &argument : function->args()) argument.addAttr(llvm::Attribute::NoUndef);
    if (m_debug) {
        auto *signature = m_debug->createSubroutineType(m_debug->getOrCreateTypeArray({}));
        function->setSubprogram(m_debug->createFunction(m_debugFile, name, name, m_debugFile, 1, signature, 1,
                                                        llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition));
    }
    return function;
}

void ModuleFrame::beginEntry() {
    auto *ptr = m_builder.getPtrTy();
    auto *type = llvm::FunctionType::get(m_builder.getVoidTy(), {ptr, ptr}, false);
    m_place.function = makeFunction(type, kKernelEntry, true);
    m_builder.SetInsertPoint(newBlock("entry"));
    m_place.runtime = m_place.function->getArg(1);
}

llvm::Value *ModuleFrame::loadArgument(size_t position) {
    auto *ptr = m_builder.getPtrTy();
    llvm::MDNode *nothing = llvm::MDNode::get(m_context, {});
    llvm::Value *slot = m_builder.CreateConstInBoundsGEP1_64(ptr, m_place.function->getArg(0), position);
    auto *pointer = m_builder.CreateLoad(ptr, slot, m_program.args[position].buffer->name);
    pointer->setMetadata(llvm::LLVMContext::MD_invariant_load, nothing);
    pointer->setMetadata(llvm::LLVMContext::MD_nonnull, nothing);
    pointer->setMetadata(llvm::LLVMContext::MD_noundef, nothing);
    return pointer;
}

llvm::Function *ModuleFrame::beginFunction(llvm::FunctionType *type, const std::string &name) {
    m_builder.SetCurrentDebugLocation(llvm::DebugLoc());
    m_place.function = makeFunction(type, name, true);
    m_builder.SetInsertPoint(newBlock("entry"));
    return m_place.function;
}

void ModuleFrame::endFunction() { m_builder.CreateRetVoid(); }

std::unique_ptr<llvm::Module> ModuleFrame::finish() {
    endFunction();
    return finishFunctions();
}

std::unique_ptr<llvm::Module> ModuleFrame::finishFunctions() {
    if (m_debug) m_debug->finalize();
    return std::move(m_module);
}

llvm::Function *ModuleFrame::makeBody(llvm::FunctionType *type) {
    return makeFunction(type, "parallel_body_" + std::to_string(m_parallelBodies++), false);
}

llvm::BasicBlock *ModuleFrame::newBlock(const char *name) {
    return llvm::BasicBlock::Create(m_context, name, m_place.function);
}

llvm::Value *ModuleFrame::runtimeField(int position) {
    auto *ptr = m_builder.getPtrTy();
    llvm::Value *slot = m_builder.CreateConstInBoundsGEP1_64(ptr, m_place.runtime, uint64_t(position));
    auto *field = m_builder.CreateLoad(ptr, slot);
    field->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(m_context, {}));
    return field;
}

llvm::AllocaInst *ModuleFrame::entryAlloca(llvm::Type *type, const std::string &name) {
    llvm::BasicBlock &entry = m_place.function->getEntryBlock();
    llvm::IRBuilder<> builder(&entry, entry.begin());
    llvm::AllocaInst *memory = builder.CreateAlloca(type, nullptr, name);
    memory->setAlignment(llvm::Align(m_target.isGpu() ? 16 : 64)); // no access of a GPU is wider
    return memory;
}

void ModuleFrame::annotateAccess(llvm::Instruction *access, const Buffer &buffer) {
    const auto found = m_alias.find(&buffer);
    LOOPSCOPE_CHECK(found != m_alias.end(), "buffer is not listed in the program: " + buffer.name);
    access->setMetadata(llvm::LLVMContext::MD_alias_scope, found->second.scope);
    access->setMetadata(llvm::LLVMContext::MD_noalias, found->second.noalias);
    const bool isInput = buffer.argIndex >= 0 && !m_program.args[size_t(buffer.argIndex)].output;
    if (isInput && llvm::isa<llvm::LoadInst>(access))
        access->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(m_context, {}));
}

void ModuleFrame::beginDebug() {
    printProgram(m_program, &m_lineOf);
    m_module->addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
    m_debug = std::make_unique<llvm::DIBuilder>(*m_module);
    m_debugFile = m_debug->createFile("program", ".");
    m_debug->createCompileUnit(llvm::dwarf::DW_LANG_C99, m_debugFile, "loopscope", true, "", 0, "",
                               m_target.isGpu() ? llvm::DICompileUnit::DebugDirectivesOnly
                                                : llvm::DICompileUnit::LineTablesOnly);
}

void ModuleFrame::setLine(const StmtNode &stmt) {
    if (!m_debug) return;
    const auto line = m_lineOf.find(stmt.id);
    // A block has no line of its own; its parent's goes on.
    if (line == m_lineOf.end()) return;
    m_builder.SetCurrentDebugLocation(
        llvm::DILocation::get(m_context, unsigned(line->second), 1, m_place.function->getSubprogram()));
}

} // namespace loopscope
