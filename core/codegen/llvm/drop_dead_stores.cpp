#include "codegen/llvm/drop_dead_stores.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>

namespace loopscope {

namespace {

/// Bytes from..to of some base pointer.
struct StoredPlace {
    const llvm::Value *base = nullptr;
    int64_t from = 0;
    int64_t to = 0;
};

StoredPlace storedPlace(const llvm::Value *pointer, const llvm::Type *type, const llvm::DataLayout &layout) {
    llvm::APInt offset(64, 0);
    const llvm::Value *base = pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
    const int64_t from = offset.getSExtValue();
    return {base, from, from + int64_t(layout.getTypeStoreSize(const_cast<llvm::Type *>(type)).getFixedValue())};
}

/// Places that are written before anything reads them, seen from the end of a block, by alias scope.
using Overwritten = llvm::DenseMap<const llvm::MDNode *, llvm::SmallVector<StoredPlace, 32>>;

void read(Overwritten &overwritten, const llvm::MDNode *scope, const StoredPlace &place) {
    const auto known = overwritten.find(scope);
    if (known == overwritten.end()) return;
    llvm::erase_if(known->second, [&](const StoredPlace &other) {
        return other.base != place.base || (other.from < place.to && place.from < other.to);
    });
}

void visitBlock(llvm::BasicBlock &block, const llvm::DataLayout &layout) {
    Overwritten overwritten;
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::reverse(block))) {
        const llvm::MDNode *scope = instruction.getMetadata(llvm::LLVMContext::MD_alias_scope);
        if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load && scope) {
            read(overwritten, scope, storedPlace(load->getPointerOperand(), load->getType(), layout));
        } else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction); store && scope) {
            const StoredPlace place = storedPlace(store->getPointerOperand(), store->getValueOperand()->getType(), layout);
            auto &later = overwritten[scope];
            const bool dead = llvm::any_of(later, [&](const StoredPlace &other) {
                return other.base == place.base && other.from <= place.from && place.to <= other.to;
            });
            if (dead)
                store->eraseFromParent();
            else
                later.push_back(place);
        } else if (instruction.mayReadOrWriteMemory()) {
            overwritten.clear();
        }
    }
}

} // namespace

llvm::PreservedAnalyses DropDeadStores::run(llvm::Function &function, llvm::FunctionAnalysisManager &) {
    const llvm::DataLayout &layout = function.getDataLayout();
    for (llvm::BasicBlock &block : function) visitBlock(block, layout);
    llvm::PreservedAnalyses kept;
    kept.preserveSet<llvm::CFGAnalyses>();
    return kept;
}

} // namespace loopscope
