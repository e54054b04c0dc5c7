#include "codegen/nvptx/nvptx_compiler.h"

#include "base/check.h"
#include "codegen/kernel_parameters.h"
#include "codegen/llvm/emit_module.h"
#include "codegen/llvm/line_marks.h"
#include "codegen/llvm/optimize.h"
#include "codegen/nvptx/emit_kernels.h"
#include "codegen/nvptx/ptx_text.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <chrono>

// Of libLLVM; llvm/Support/TargetSelect.h declares those of all targets it was built with.
extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace loopscope {

namespace {

constexpr const char *kTriple = "nvptx64-nvidia-cuda";
/// Values a thread keeps in registers across a loop rather than load them again; 255 is all it can have.
constexpr int kHoistedValues = 96;

void initializeNvptx() {
    static const bool ready = [] {
        LLVMInitializeNVPTXTargetInfo();
        LLVMInitializeNVPTXTarget();
        LLVMInitializeNVPTXTargetMC();
        LLVMInitializeNVPTXAsmPrinter();
        return true;
    }();
    (void)ready;
}

} // namespace

struct NvptxCompiler::Impl {
    Target target;
    std::string note; // first line of the text; empty: nothing to say
    std::unique_ptr<llvm::TargetMachine> machine;
};

NvptxCompiler::NvptxCompiler(const Target &target) : m_impl(std::make_unique<Impl>()) {
    initializeNvptx();
    const auto named = target.attrs.find("arch");
    const std::string architecture = named == target.attrs.end() ? "sm_80" : named->second;
    const PtxDialect dialect = dialectFor(architecture);
    if (dialect.architecture != architecture)
        m_impl->note = "// for " + architecture + ", in the PTX of " + dialect.architecture +
                       ", the newest before it that LLVM knows\n";
    m_impl->target = target;
    m_impl->target.vectorBytes = kThreadVectorBytes;
    std::string why;
    const llvm::Target *found = llvm::TargetRegistry::lookupTarget(kTriple, why);
    if (found == nullptr) throw Error("this LLVM was built without its NVPTX back end, which makes PTX: " + why);
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Standard; // where the instructions allow it: not in functions
    m_impl->machine.reset(found->createTargetMachine(kTriple, dialect.architecture, "+" + dialect.version, options,
                                                     llvm::Reloc::PIC_, llvm::CodeModel::Small,
                                                     llvm::CodeGenOptLevel::Aggressive));
    LOOPSCOPE_CHECK(m_impl->machine != nullptr, "no target machine for PTX");
}

NvptxCompiler::~NvptxCompiler() = default;

Outcome<MachineCode> NvptxCompiler::compile(const LoopProgram &program, const CodegenOptions &options) {
    const auto start = std::chrono::steady_clock::now();
    Outcome<KernelLaunch> launch = describeLaunch(program, m_impl->target.kind, program.name);
    if (!launch) return launch.refusal();
    llvm::LLVMContext context;
    context.setDiscardValueNames(!options.wantIr);
    std::unique_ptr<llvm::Module> module;
    try {
        module = emitKernels(program, m_impl->target, context, options.debugLines);
    } catch (const ProgramRefused &refused) {
        return Refusal{refused.sentence};
    }
    module->setDataLayout(m_impl->machine->createDataLayout());
    module->setTargetTriple(kTriple);
    std::string defects;
    llvm::raw_string_ostream report(defects);
    LOOPSCOPE_CHECK(!llvm::verifyModule(*module, &report), "LLVM rejects the module: " + defects);
    m_impl->machine->setOptLevel(options.optLevel <= 0 ? llvm::CodeGenOptLevel::None
                                                       : llvm::CodeGenOptLevel::Aggressive);
    optimizeModule(*module, *m_impl->machine, kHoistedValues, options.optLevel);

    MachineCode code;
    code.kernel.launch = std::move(launch).value();
    describeParameters(program, code.kernel.launch);
    if (options.wantIr) code.ir = printLinkedIr(*module);
    llvm::SmallString<0> printed;
    {
        llvm::raw_svector_ostream out(printed);
        llvm::legacy::PassManager passes;
        const bool failed = m_impl->machine->addPassesToEmitFile(
            passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile, /*DisableVerify=*/true);
        LOOPSCOPE_CHECK(!failed, "the NVPTX back end prints no text");
        passes.run(*module);
    }
    const std::string ptx = m_impl->note + printed.str().str();
    if (options.wantAssembly) code.assembly = readPtx(ptx);
    code.kernel.object.assign(ptx.begin(), ptx.end());
    code.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return code;
}

} // namespace loopscope
