#include "codegen/llvm/hoist_invariants.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

namespace loopscope {

namespace {

bool isFloatValue(const llvm::Type *type) { return type->isVectorTy() || type->isFloatingPointTy(); }

/// Loads of memory that nothing in the kernel writes: arguments that are only read, captured values.
bool isInvariantLoad(const llvm::Instruction &instruction) {
    const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    return load && load->hasMetadata(llvm::LLVMContext::MD_invariant_load);
}

bool movable(const llvm::Instruction &instruction) {
    if (llvm::isa<llvm::PHINode>(instruction) || instruction.isTerminator() || instruction.mayWriteToMemory())
        return false;
    return !instruction.mayReadFromMemory() && llvm::isSafeToSpeculativelyExecute(&instruction);
}

/// Values the loop carries from one iteration to the next in vector registers.
int carriedVectors(const llvm::Loop &loop) {
    int carried = 0;
    for (const llvm::PHINode &phi : loop.getHeader()->phis()) carried += isFloatValue(phi.getType()) ? 1 : 0;
    return carried;
}

void hoistFrom(llvm::Loop &loop, int registers, llvm::OptimizationRemarkEmitter &remarks) {
    llvm::BasicBlock *before = loop.getLoopPreheader();
    if (!before) return;
    llvm::Instruction *place = before->getTerminator();
    // A load may run once early only where it runs in every iteration anyway: in the block every iteration begins with.
    std::vector<llvm::Instruction *> loads;
    bool again = true;
    int kept = 0;
    int carried = 0;
    while (again) {
        again = false;
        loads.clear();
        for (llvm::BasicBlock *block : loop.blocks()) {
            for (auto it = block->begin(); it != block->end();) {
                llvm::Instruction &instruction = *it++;
                if (!loop.hasLoopInvariantOperands(&instruction)) continue;
                if (movable(instruction)) {
                    instruction.moveBefore(place);
                    again = true;
                } else if (isInvariantLoad(instruction) && block == loop.getHeader()) {
                    loads.push_back(&instruction);
                }
            }
        }
        // Three registers stay for the operands of the step being computed.
        int vectors = 0;
        for (const llvm::Instruction *load : loads) vectors += isFloatValue(load->getType()) ? 1 : 0;
        carried = carriedVectors(loop);
        const bool fits = vectors + carried + 3 <= registers;
        kept = fits ? 0 : vectors;
        for (llvm::Instruction *load : loads) {
            if (!fits && isFloatValue(load->getType())) continue;
            load->moveBefore(place);
            again = true;
        }
    }
    if (kept == 0) return;
    remarks.emit([&] {
        return llvm::OptimizationRemarkMissed("hoist-invariants", "NotHoisted", loop.getStartLoc(), loop.getHeader())
               << llvm::ore::NV("Loads", kept) << " loads that do not change stay in the loop: with the "
               << llvm::ore::NV("Carried", carried) << " values it carries they need more than the "
               << llvm::ore::NV("Registers", registers) << " vector registers";
    });
}

} // namespace

llvm::PreservedAnalyses HoistInvariants::run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses) {
    const llvm::LoopInfo &loops = analyses.getResult<llvm::LoopAnalysis>(function);
    // Inner loops first: what leaves them may leave the next one too.
    auto nest = loops.getLoopsInPreorder();
    llvm::OptimizationRemarkEmitter remarks(&function);
    for (auto it = nest.rbegin(); it != nest.rend(); ++it) hoistFrom(**it, m_vectorRegisters, remarks);
    llvm::PreservedAnalyses kept;
    kept.preserveSet<llvm::CFGAnalyses>();
    return kept;
}

} // namespace loopscope
