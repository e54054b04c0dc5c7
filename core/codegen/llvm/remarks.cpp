#include "codegen/llvm/remarks.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

namespace loopscope {

namespace {

/// Blocks this long take the vectorizer's analyses minutes.
constexpr unsigned kLongestCopy = 20000; // instructions

/// What each says of every function, whatever it is like.
bool tellsNothing(llvm::StringRef pass) {
    return pass == "asm-printer" || pass == "prologepilog" || pass == "size-info" || pass == "annotation-remarks" ||
           pass == "stack-frame-layout";
}

/// "3 spills, 12 reloads": the register allocator also tells what each costs by its own measure, and how many copies it
/// made, which cost next to nothing. Empty where that is all it tells.
std::string allocatorText(const llvm::DiagnosticInfoOptimizationBase &said) {
    std::string text;
    for (const auto &argument : said.getArgs()) {
        std::string_view what;
        if (argument.Key == "NumSpills") what = "spills";
        if (argument.Key == "NumReloads") what = "reloads";
        if (argument.Key == "NumFoldedSpills") what = "folded spills";
        if (argument.Key == "NumFoldedReloads") what = "folded reloads";
        if (what.empty()) continue;
        text += (text.empty() ? "" : ", ") + argument.Val + " " + std::string(what);
    }
    return text;
}

bool usesVectors(const llvm::Instruction &instruction) {
    return instruction.getType()->isVectorTy() ||
           (instruction.getNumOperands() > 0 && instruction.getOperand(0)->getType()->isVectorTy());
}

/// Lines of loops that hold vectors already: that they cannot be vectorized says nothing.
std::set<int> vectorLoopLines(llvm::Module &module) {
    std::set<int> lines;
    const auto add = [&](const llvm::DebugLoc &place) {
        if (place) lines.insert(static_cast<int>(place.getLine()));
    };
    for (llvm::Function &function : module) {
        if (function.isDeclaration()) continue;
        llvm::DominatorTree dominators(function);
        const llvm::LoopInfo loops(dominators);
        for (const llvm::Loop *loop : loops.getLoopsInPreorder()) {
            const bool vectors = std::any_of(loop->block_begin(), loop->block_end(), [](const llvm::BasicBlock *block) {
                return std::any_of(block->begin(), block->end(), usesVectors);
            });
            if (!vectors) continue;
            add(loop->getStartLoc());
            for (const llvm::BasicBlock *block : loop->blocks())
                for (const llvm::Instruction &instruction : *block) add(instruction.getDebugLoc());
        }
    }
    return lines;
}

} // namespace

struct RemarkCollector::Handler final : llvm::DiagnosticHandler {
    explicit Handler(RemarkCollector &collector) : owner(collector) {}

    bool isAnalysisRemarkEnabled(llvm::StringRef pass) const override { return !tellsNothing(pass); }
    bool isMissedOptRemarkEnabled(llvm::StringRef pass) const override { return !tellsNothing(pass); }
    bool isPassedOptRemarkEnabled(llvm::StringRef pass) const override { return !tellsNothing(pass); }
    bool isAnyRemarkEnabled() const override { return true; }

    bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
        const auto *said = llvm::dyn_cast<llvm::DiagnosticInfoOptimizationBase>(&info);
        if (said == nullptr) return false;
        if (tellsNothing(said->getPassName())) return true;
        CompilerRemark remark;
        remark.kind = said->isPassed()   ? CompilerRemark::Kind::Passed
                      : said->isMissed() ? CompilerRemark::Kind::Missed
                                         : CompilerRemark::Kind::Analysis;
        remark.pass = said->getPassName().str();
        remark.name = said->getRemarkName().str();
        remark.text = said->getMsg();
        if (remark.pass == "regalloc") remark.text = allocatorText(*said);
        if (remark.text.empty() || remark.text == "loop not vectorized") return true; // the reason is said apart
        if (said->isLocationAvailable()) remark.programLine = static_cast<int>(said->getLocation().getLine());
        remark.ofCopy = owner.m_ofCopy;
        // What a pass would have done to the copy was not done; that it went well is no remark on this kernel.
        if (!remark.ofCopy || remark.kind != CompilerRemark::Kind::Passed) owner.m_remarks.push_back(std::move(remark));
        return true;
    }

    RemarkCollector &owner;
};

RemarkCollector::RemarkCollector(llvm::LLVMContext &context)
    : m_context(context), m_before(context.getDiagnosticHandler()) {
    context.setDiagnosticHandler(std::make_unique<Handler>(*this), /*RespectFilters=*/true);
}

RemarkCollector::~RemarkCollector() { m_context.setDiagnosticHandler(std::move(m_before)); }

void RemarkCollector::askOfCopy(const llvm::Module &module, llvm::TargetMachine &machine) {
    if (module.getInstructionCount() > kLongestCopy) {
        CompilerRemark left;
        left.kind = CompilerRemark::Kind::Analysis;
        left.pass = "loop-vectorize";
        left.name = "TooLong";
        left.text = "the code is too long to ask LLVM's vectorizer about it";
        left.ofCopy = true;
        m_remarks.push_back(std::move(left));
        return;
    }
    const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
    const std::set<int> vectorLoops = vectorLoopLines(*copy);
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
    passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
    passes.addPass(llvm::LoopVectorizePass());
    llvm::ModulePassManager pipeline;
    pipeline.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
    m_ofCopy = true;
    pipeline.run(*copy, modules);
    m_ofCopy = false;
    std::erase_if(m_remarks, [&](const CompilerRemark &remark) {
        return remark.pass == "loop-vectorize" && vectorLoops.contains(remark.programLine);
    });
}

std::vector<CompilerRemark> RemarkCollector::take() {
    const auto key = [](const CompilerRemark &remark) {
        return std::tie(remark.programLine, remark.ofCopy, remark.pass, remark.name, remark.text, remark.kind);
    };
    std::vector<CompilerRemark> once;
    std::stable_sort(m_remarks.begin(), m_remarks.end(),
                     [&](const CompilerRemark &a, const CompilerRemark &b) { return key(a) < key(b); });
    for (CompilerRemark &remark : m_remarks) {
        if (!once.empty() && key(once.back()) == key(remark))
            ++once.back().times;
        else
            once.push_back(std::move(remark));
    }
    m_remarks.clear();
    return once;
}

std::string_view remarkKindName(CompilerRemark::Kind kind) {
    switch (kind) {
    case CompilerRemark::Kind::Missed:
        return "missed";
    case CompilerRemark::Kind::Passed:
        return "passed";
    case CompilerRemark::Kind::Analysis:
        return "analysis";
    }
    return "";
}

} // namespace loopscope
