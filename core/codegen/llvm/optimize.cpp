#include "codegen/llvm/optimize.h"

#include "codegen/llvm/drop_dead_stores.h"
#include "codegen/llvm/hoist_invariants.h"
#include "codegen/llvm/lower_extremes.h"

#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

namespace loopscope {

void optimizeModule(llvm::Module &module, llvm::TargetMachine &machine, int vectorRegisters, int level) {
    if (level <= 0) return;
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder builder(&machine);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);

    llvm::FunctionPassManager passes;
    // Accumulators become values, equal addresses and loads one.
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::SimplifyCFGPass());
    // Invariant address arithmetic and conditions leave the inner loops; loads only as far as registers reach.
    passes.addPass(llvm::LoopSimplifyPass());
    passes.addPass(HoistInvariants(vectorRegisters));
    passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
    // Sums written to memory step by step in an unrolled reduction: only the last store counts.
    passes.addPass(DropDeadStores());
    if (!machine.getTargetTriple().isNVPTX()) passes.addPass(LowerExtremes()); // which has instructions for them

    llvm::ModulePassManager pipeline;
    pipeline.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
    pipeline.run(module, modules);
}

} // namespace loopscope
