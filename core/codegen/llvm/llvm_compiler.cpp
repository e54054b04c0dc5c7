// One target machine, one module and context per kernel.
#include "codegen/llvm/llvm_compiler.h"

#include "base/check.h"
#include "codegen/llvm/disassembly.h"
#include "codegen/llvm/emit_module.h"
#include "codegen/llvm/line_marks.h"
#include "codegen/llvm/optimize.h"
#include "codegen/llvm/remarks.h"
#include "codegen/llvm/standalone_entry.h"
#include "codegen/runtime_abi.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <chrono>
#include <optional>

namespace loopscope {

namespace {

/// Machine code of the module, which is used up.
void generate(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType type,
              llvm::SmallVectorImpl<char> &bytes) {
    llvm::raw_svector_ostream out(bytes);
    llvm::legacy::PassManager passes;
    const bool failed = machine.addPassesToEmitFile(passes, out, nullptr, type, /*DisableVerify=*/true);
    LOOPSCOPE_CHECK(!failed, "the target machine cannot emit this kind of file");
    passes.run(module);
}

} // namespace

struct LlvmCompiler::Impl {
    Target target;
    std::unique_ptr<llvm::TargetMachine> machine;
};

LlvmCompiler::LlvmCompiler(const Target &target) : m_impl(std::make_unique<Impl>()) {
    static const bool ready = [] {
        llvm::InitializeNativeTarget();
        llvm::InitializeNativeTargetAsmPrinter();
        // Scheduling after register allocation takes as long as everything else together on long unrolled blocks, and
        // out-of-order cores do it themselves. LLVM has no other switch for it than this option of the process.
        if (llvm::cl::Option *option = llvm::cl::getRegisteredOptions().lookup("post-RA-scheduler"))
            option->addOccurrence(1, "post-RA-scheduler", "false");
        return true;
    }();
    (void)ready;
    m_impl->target = target;
    const auto arch = target.attrs.find("mtriple");
    const std::string triple = arch != target.attrs.end() ? arch->second : "x86_64-unknown-linux-gnu";
    std::string why;
    const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, why);
    if (!found) throw Error("LLVM cannot generate code for `" + triple + "`: " + why);

    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
    options.MCOptions.AsmVerbose = true; // says in comments what is a spill and which loop a block is in
    m_impl->machine.reset(found->createTargetMachine(triple, target.cpu, target.features, options, llvm::Reloc::PIC_,
                                                     llvm::CodeModel::Small, llvm::CodeGenOptLevel::Aggressive));
    if (!m_impl->machine) throw Error("LLVM has no code generator for `" + triple + "`");
    if (!target.cpu.empty() && !m_impl->machine->getMCSubtargetInfo()->isCPUStringValid(target.cpu))
        throw Error("LLVM does not know the CPU `" + target.cpu + "` (-mcpu of the target)");
}

LlvmCompiler::~LlvmCompiler() = default;

Outcome<MachineCode> LlvmCompiler::compile(const LoopProgram &program, const CodegenOptions &options) {
    const auto start = std::chrono::steady_clock::now();
    llvm::LLVMContext context;
    context.setDiscardValueNames(!options.wantIr);
    std::unique_ptr<llvm::Module> module;
    try {
        module = emitModule(program, m_impl->target, context, options.debugLines);
    } catch (const ProgramRefused &refused) {
        return Refusal{refused.sentence};
    }
    Outcome<KernelLaunch> launch = describeLaunch(program, m_impl->target.kind, kKernelEntry);
    if (!launch) return launch.refusal();
    module->setDataLayout(m_impl->machine->createDataLayout());
    module->setTargetTriple(m_impl->machine->getTargetTriple().str());

    std::string defects;
    llvm::raw_string_ostream report(defects);
    LOOPSCOPE_CHECK(!llvm::verifyModule(*module, &report), "LLVM rejects the module: " + defects);

    m_impl->machine->setOptLevel(options.optLevel <= 0 ? llvm::CodeGenOptLevel::None
                                                       : llvm::CodeGenOptLevel::Aggressive);
    std::optional<RemarkCollector> remarks;
    if (options.wantRemarks) remarks.emplace(context);
    optimizeModule(*module, *m_impl->machine, m_impl->target.vectorRegisters, options.optLevel);

    MachineCode code;
    if (remarks) remarks->askOfCopy(*module, *m_impl->machine);
    code.kernel.launch = std::move(launch).value();
    if (options.wantIr) code.ir = printLinkedIr(*module);
    if (options.wantAssembly) {
        llvm::SmallString<0> printed;
        generate(*llvm::CloneModule(*module), *m_impl->machine, llvm::CodeGenFileType::AssemblyFile, printed);
        code.assembly = readAssembly(printed.str());
    }
    if (remarks && options.wantAssembly) { // the second time it would say the same
        code.remarks = remarks->take();
        remarks.reset();
    }
    llvm::SmallVector<char, 0> object;
    generate(*module, *m_impl->machine, llvm::CodeGenFileType::ObjectFile, object);
    if (remarks) code.remarks = remarks->take();
    code.kernel.object.assign(object.begin(), object.end());
    code.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return code;
}

Outcome<StandaloneCode> LlvmCompiler::compileStandalone(const LoopProgram &program, const std::string &function) {
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> module;
    try {
        module = emitModule(program, m_impl->target, context, /*debugLines=*/false);
    } catch (const ProgramRefused &refused) {
        return Refusal{refused.sentence};
    }
    StandaloneCode code;
    code.startsThreads = addStandaloneEntry(*module, function, program.args.size());
    module->setDataLayout(m_impl->machine->createDataLayout());
    module->setTargetTriple(m_impl->machine->getTargetTriple().str());
    std::string defects;
    llvm::raw_string_ostream report(defects);
    LOOPSCOPE_CHECK(!llvm::verifyModule(*module, &report), "LLVM rejects the module: " + defects);
    m_impl->machine->setOptLevel(llvm::CodeGenOptLevel::Aggressive);
    optimizeModule(*module, *m_impl->machine, m_impl->target.vectorRegisters, CodegenOptions().optLevel);
    llvm::raw_string_ostream ir(code.ir);
    module->print(ir, nullptr);
    llvm::SmallString<0> assembly;
    generate(*llvm::CloneModule(*module), *m_impl->machine, llvm::CodeGenFileType::AssemblyFile, assembly);
    code.assembly = assembly.str().str();
    llvm::SmallVector<char, 0> object;
    generate(*module, *m_impl->machine, llvm::CodeGenFileType::ObjectFile, object);
    code.object.assign(object.begin(), object.end());
    return code;
}

} // namespace loopscope
