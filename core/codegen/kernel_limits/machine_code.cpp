#include "codegen/kernel_limits/machine_code.h"

#include "codegen/code_generator.h"
#include "codegen/cuda/cuda_source.h"
#include "codegen/nvptx/ptx_text.h"

#include <utility>

namespace loopscope {

namespace {

std::string architectureOf(const Target &target) {
    const auto named = target.attrs.find("arch");
    return named == target.attrs.end() ? "sm_80" : named->second;
}

/// PTX and what its line directives mean.
struct PtxOfProgram {
    std::string ptx;
    std::string compiler;
    std::vector<LineLink> source;
    bool throughCuda = false;
};

Outcome<PtxOfProgram> ptxThroughCuda(const LoopProgram &program, const Target &target, CudaCompiler &compiler) {
    Outcome<CudaSource> cuda = emitCuda(program, target);
    if (!cuda) return cuda.refusal();
    Outcome<CompiledCuda> compiled = compiler.toPtx(cuda->code.text, architectureOf(target));
    if (!compiled) return compiled.refusal();
    return PtxOfProgram{std::move(compiled->ptx), std::move(compiled->compiler), std::move(cuda->code.links), true};
}

Outcome<PtxOfProgram> ptxThroughLlvm(const LoopProgram &program, const Target &target) {
    try {
        const Outcome<std::unique_ptr<CodeGenerator>> generator = makeCodeGenerator(target);
        if (!generator) return generator.refusal();
        Outcome<MachineCode> code = (*generator)->compile(program, {.debugLines = true});
        if (!code) return code.refusal();
        return PtxOfProgram{std::string(code->kernel.object.begin(), code->kernel.object.end()), "LLVM", {}, false};
    } catch (const Error &problem) {
        return Refusal{problem.what()};
    }
}

} // namespace

Outcome<GpuMachineCode> gpuMachineCode(const LoopProgram &program, const Target &target, CudaCompiler &compiler,
                                       const NvidiaTools &tools) {
    if (!target.isGpu()) return Refusal{"PTX is the code of GPUs (cuda targets), and this target is a processor"};
    Outcome<PtxOfProgram> ptx =
        tools.nvrtc.empty() ? ptxThroughLlvm(program, target) : ptxThroughCuda(program, target, compiler);
    if (!ptx) return ptx.refusal();
    GpuMachineCode result;
    result.compilers = ptx->compiler;
    result.throughCuda = ptx->throughCuda;
    result.source = ptx->source;
    result.ptx = readPtx(ptx->ptx);
    if (ptx->throughCuda) result.ptx = linkedThrough(std::move(result.ptx), {{}, result.source});
    Outcome<AssembledPtx> assembled = assemblePtx(ptx->ptx, architectureOf(target), {.debugLines = true}, tools);
    if (!assembled) {
        result.unassembled = assembled.why();
        return result;
    }
    result.compilers += ", " + assembled->assembler;
    result.cubin = std::move(assembled->cubin);
    result.resources = std::move(assembled->kernels);
    return result;
}

Outcome<SassText> sassOf(const GpuMachineCode &code, const NvidiaTools &tools) {
    if (code.cubin.empty()) return Refusal{code.unassembled};
    Outcome<SassText> sass = disassembleCubin(code.cubin, 60, tools);
    if (sass && code.throughCuda) sass->code = linkedThrough(std::move(sass->code), {{}, code.source});
    return sass;
}

} // namespace loopscope
