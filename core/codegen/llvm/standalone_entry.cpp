#include "codegen/llvm/standalone_entry.h"

#include "base/check.h"
#include "codegen/runtime_abi.h"

#include <llvm/IR/IRBuilder.h>

#include <vector>

namespace loopscope {

namespace {

class StandaloneEntry {
  public:
    StandaloneEntry(llvm::Module &module, llvm::Function &kernel)
        : m_module(module), m_kernel(kernel), m_builder(module.getContext()), m_pointer(m_builder.getPtrTy()),
          m_void(m_builder.getVoidTy()), m_long(m_builder.getInt64Ty()), m_int(m_builder.getInt32Ty()) {}

    bool add(const std::string &name, size_t args) {
        m_kernel.setLinkage(llvm::GlobalValue::InternalLinkage);
        if (llvm::GlobalValue *taken = m_module.getNamedValue(name)) taken->setName("loopscope_" + name);
        const bool threads = startsThreads();
        llvm::Constant *none = llvm::ConstantPointerNull::get(m_pointer);
        auto *type = llvm::StructType::get(m_module.getContext(), {m_pointer, m_pointer, m_pointer});
        llvm::Constant *table =
            llvm::ConstantStruct::get(type, {threads ? parallelFor() : none, allocate(), release()});
        auto *runtime = new llvm::GlobalVariable(m_module, type, true, llvm::GlobalValue::PrivateLinkage, table,
                                                 "loopscope_runtime");
        const std::vector<llvm::Type *> pointers(args, m_pointer);
        llvm::Function *function = begin(llvm::FunctionType::get(m_void, pointers, false), name, true);
        auto *arrayType = llvm::ArrayType::get(m_pointer, args);
        llvm::Value *array = m_builder.CreateAlloca(arrayType);
        for (size_t i = 0; i < args; ++i)
            m_builder.CreateStore(function->getArg(static_cast<unsigned>(i)),
                                  m_builder.CreateConstInBoundsGEP2_64(arrayType, array, 0, i));
        m_builder.CreateCall(&m_kernel, {array, runtime});
        m_builder.CreateRetVoid();
        return threads;
    }

  private:
    /// A parallel loop is a function that is handed on.
    bool startsThreads() const {
        for (const llvm::Function &function : m_module)
            if (&function != &m_kernel && !function.isDeclaration()) return true;
        return false;
    }

    /// Made as the kernel is, for the same processor.
    llvm::Function *begin(llvm::FunctionType *type, const std::string &name, bool external) {
        auto *function = llvm::Function::Create(
            type, external ? llvm::Function::ExternalLinkage : llvm::Function::InternalLinkage, name, m_module);
        LOOPSCOPE_CHECK(!external || function->getName() == name, "the exported function keeps its name");
        function->setAttributes(m_kernel.getAttributes()
                                    .removeParamAttributes(m_module.getContext(), 0)
                                    .removeParamAttributes(m_module.getContext(), 1));
        m_builder.SetInsertPoint(llvm::BasicBlock::Create(m_module.getContext(), "entry", function));
        return function;
    }

    llvm::FunctionCallee library(const char *name, llvm::Type *result, const std::vector<llvm::Type *> &takes) {
        return m_module.getOrInsertFunction(name, llvm::FunctionType::get(result, takes, false));
    }

    llvm::Value *field(llvm::Value *call, uint64_t position) {
        return m_builder.CreateConstInBoundsGEP1_64(m_long, call, position);
    }

    /// The iterations of one thread of the team, as codegen/runtime/kernel_runtime.cpp divides them.
    llvm::Function *part() {
        llvm::Function *function = begin(llvm::FunctionType::get(m_void, {m_pointer}, false), "loopscope_part", false);
        llvm::Value *call = function->getArg(0);
        llvm::Value *body = m_builder.CreateLoad(m_pointer, field(call, 0));
        llvm::Value *count = m_builder.CreateLoad(m_long, field(call, 1));
        llvm::Value *context = m_builder.CreateLoad(m_pointer, field(call, 2));
        const auto widened = [&](const char *name) {
            return m_builder.CreateSExt(m_builder.CreateCall(library(name, m_int, {})), m_long);
        };
        llvm::Value *threads = widened("omp_get_num_threads");
        llvm::Value *thread = widened("omp_get_thread_num");
        llvm::Value *share = m_builder.CreateSDiv(count, threads);
        llvm::Value *rest = m_builder.CreateSRem(count, threads);
        llvm::Value *takesOneMore = m_builder.CreateICmpSLT(thread, rest);
        llvm::Value *before = m_builder.CreateSelect(takesOneMore, thread, rest);
        llvm::Value *first = m_builder.CreateAdd(m_builder.CreateMul(share, thread), before);
        llvm::Value *end =
            m_builder.CreateAdd(m_builder.CreateAdd(first, share), m_builder.CreateZExt(takesOneMore, m_long));
        auto *run = llvm::BasicBlock::Create(m_module.getContext(), "run", function);
        auto *done = llvm::BasicBlock::Create(m_module.getContext(), "done", function);
        m_builder.CreateCondBr(m_builder.CreateICmpSLT(first, end), run, done);
        m_builder.SetInsertPoint(run);
        auto *bodyType = llvm::FunctionType::get(m_void, {m_long, m_long, m_pointer}, false);
        m_builder.CreateCall(bodyType, body, {first, end, context});
        m_builder.CreateBr(done);
        m_builder.SetInsertPoint(done);
        m_builder.CreateRetVoid();
        return function;
    }

    llvm::Function *parallelFor() {
        llvm::Function *ofThread = part();
        llvm::Function *function = begin(llvm::FunctionType::get(m_void, {m_pointer, m_long, m_pointer}, false),
                                         "loopscope_parallel_for", false);
        llvm::Value *call = m_builder.CreateAlloca(llvm::ArrayType::get(m_long, 3));
        for (unsigned i = 0; i < 3; ++i) m_builder.CreateStore(function->getArg(i), field(call, i));
        // As many threads as there are iterations, at most.
        llvm::Value *most =
            m_builder.CreateSExt(m_builder.CreateCall(library("omp_get_max_threads", m_int, {})), m_long);
        llvm::Value *count = function->getArg(1);
        llvm::Value *fewer = m_builder.CreateSelect(m_builder.CreateICmpSLT(count, most), count, most);
        llvm::Value *threads = m_builder.CreateTrunc(fewer, m_int);
        m_builder.CreateCall(library("GOMP_parallel", m_void, {m_pointer, m_pointer, m_int, m_int}),
                             {ofThread, call, threads, m_builder.getInt32(0)});
        m_builder.CreateRetVoid();
        return function;
    }

    llvm::Function *allocate() {
        llvm::Function *function =
            begin(llvm::FunctionType::get(m_pointer, {m_long}, false), "loopscope_allocate", false);
        llvm::Value *rounded = m_builder.CreateAnd(m_builder.CreateAdd(function->getArg(0), m_builder.getInt64(63)),
                                                   m_builder.getInt64(~uint64_t{63}));
        llvm::Value *memory = m_builder.CreateCall(library("aligned_alloc", m_pointer, {m_long, m_long}),
                                                   {m_builder.getInt64(64), rounded});
        auto *none = llvm::BasicBlock::Create(m_module.getContext(), "none", function);
        auto *some = llvm::BasicBlock::Create(m_module.getContext(), "some", function);
        m_builder.CreateCondBr(m_builder.CreateIsNull(memory), none, some);
        m_builder.SetInsertPoint(none);
        m_builder.CreateCall(library("abort", m_void, {}));
        m_builder.CreateUnreachable();
        m_builder.SetInsertPoint(some);
        m_builder.CreateRet(memory);
        return function;
    }

    llvm::Function *release() {
        llvm::Function *function =
            begin(llvm::FunctionType::get(m_void, {m_pointer}, false), "loopscope_release", false);
        m_builder.CreateCall(library("free", m_void, {m_pointer}), {function->getArg(0)});
        m_builder.CreateRetVoid();
        return function;
    }

    llvm::Module &m_module;
    llvm::Function &m_kernel;
    llvm::IRBuilder<> m_builder;
    llvm::PointerType *m_pointer;
    llvm::Type *m_void;
    llvm::Type *m_long;
    llvm::Type *m_int;
};

} // namespace

bool addStandaloneEntry(llvm::Module &module, const std::string &function, size_t args) {
    llvm::Function *kernel = module.getFunction(kKernelEntry);
    LOOPSCOPE_CHECK(kernel != nullptr, "a module of emitModule has the entry of kernels");
    return StandaloneEntry(module, *kernel).add(function, args);
}

} // namespace loopscope
