#include "harness/device_code.h"

#include "codegen/code_generator.h"
#include "codegen/cuda/cuda_source.h"

#include <sstream>

namespace loopscope {

namespace {

std::string archOf(const Target &target) { return target.attrs.at("arch"); }

std::string warningsOf(const std::string &log) {
    std::istringstream in(log);
    std::string warnings;
    for (std::string line; std::getline(in, line);)
        if (line.find("are deprecated and may be removed") == std::string::npos) warnings += line + "\n";
    return warnings.find_first_not_of("\n ") == std::string::npos ? "" : warnings;
}

DeviceCode assembled(std::string ptx, const Target &target) {
    DeviceCode code;
    code.ptx = std::move(ptx);
    Outcome<AssembledPtx> machine = assemblePtx(code.ptx, archOf(target));
    if (!machine)
        code.problem = machine.why();
    else
        code.kernels = std::move(machine->kernels);
    return code;
}

} // namespace

DeviceCode throughCuda(const LoopProgram &program, const Target &target, CudaCompiler &compiler) {
    const Outcome<CudaSource> source = emitCuda(program, target);
    if (!source) return {source.why(), {}, {}};
    const Outcome<CompiledCuda> compiled = compiler.toPtx(source->code.text, archOf(target));
    if (!compiled) return {compiled.why() + "\n" + source->code.text, {}, {}};
    DeviceCode code = assembled(compiled->ptx, target);
    if (const std::string warnings = warningsOf(compiled->log); !warnings.empty())
        code.problem += warnings + source->code.text;
    return code;
}

DeviceCode throughLlvm(const LoopProgram &program, const Target &target) {
    const auto generator = makeCodeGenerator(target);
    if (!generator) return {generator.why(), {}, {}};
    const Outcome<MachineCode> compiled = (*generator)->compile(program);
    if (!compiled) return {compiled.why(), {}, {}};
    return assembled({compiled->kernel.object.begin(), compiled->kernel.object.end()}, target);
}

} // namespace loopscope
