#pragma once
// The module around the statements: its functions, the runtime they are passed, alias facts and debug lines. Internal
// to codegen.

#include "codegen/llvm/emit_context.h"

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/Module.h>

#include <map>
#include <memory>
#include <string>
#include <unordered_map>

namespace loopscope {

class ModuleFrame {
  public:
    ModuleFrame(EmitContext &context, bool debugLines);

    /// The entry function; instructions go there.
    void beginEntry();
    /// In the entry: the pointer the caller passes.
    llvm::Value *loadArgument(size_t position);
    /// A function of its own that others call (a kernel of a GPU); instructions go there, until endFunction.
    llvm::Function *beginFunction(llvm::FunctionType *type, const std::string &name);
    void endFunction();
    /// Ends the entry and hands the module over.
    std::unique_ptr<llvm::Module> finish();
    /// Hands the module over whose functions have all ended.
    std::unique_ptr<llvm::Module> finishFunctions();

    /// The function instructions go to, and the table of runtime functions as it knows it.
    struct Place {
        llvm::Function *function = nullptr;
        llvm::Value *runtime = nullptr;
    };
    [[nodiscard]] const Place &place() const { return m_place; }
    void setPlace(const Place &place) { m_place = place; }
    llvm::Function *makeBody(llvm::FunctionType *type); // of a parallel loop

    [[nodiscard]] llvm::Module &module() { return *m_module; }
    [[nodiscard]] bool onGpu() const { return m_target.isGpu(); }
    llvm::BasicBlock *newBlock(const char *name);
    llvm::AllocaInst *entryAlloca(llvm::Type *type, const std::string &name);
    llvm::Value *runtimeField(int position); // of LoopscopeRuntime
    /// Says what the access cannot overlap.
    void annotateAccess(llvm::Instruction *access, const Buffer &buffer);
    /// Instructions that follow come from this statement.
    void setLine(const StmtNode &stmt);

  private:
    llvm::Function *makeFunction(llvm::FunctionType *type, const std::string &name, bool external);
    void beginDebug();
    void listAliases();

    struct AliasLists {
        llvm::MDNode *scope = nullptr;
        llvm::MDNode *noalias = nullptr;
    };
    const LoopProgram &m_program;
    const Target &m_target;
    llvm::LLVMContext &m_context;
    llvm::IRBuilder<> &m_builder;
    std::unique_ptr<llvm::Module> m_module;
    Place m_place;
    int m_parallelBodies = 0;
    std::unordered_map<const Buffer *, AliasLists> m_alias;
    std::unique_ptr<llvm::DIBuilder> m_debug; // null: no lines
    llvm::DIFile *m_debugFile = nullptr;
    std::map<int, int> m_lineOf;
};

} // namespace loopscope
