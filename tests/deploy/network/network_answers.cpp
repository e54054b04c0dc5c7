#include "network_answers.h"

#include "deploy/network/build.h"
#include "deploy/network/compiled_kernels.h"
#include "deploy/network/prepare.h"
#include "deploy/plan/plan_runner.h"
#include "deploy/vm/compile.h"
#include "deploy/vm/machine.h"
#include "deploy/vm/outline.h"
#include "networks/op/reference.h"

namespace loopscope {

namespace {

const Target &oneCore() {
    static const Target target = parseTarget("llvm -num-cores=1");
    return target;
}

} // namespace

Outcome<std::vector<HostTensor>> byMachine(const Module &module, std::span<const HostTensor> inputs) {
    const auto parts = outlined(module);
    if (!parts) return parts.refusal();
    const auto program = compileNetwork(*parts);
    if (!program) return program.refusal();
    CompiledKernels kernels(oneCore(), {.threads = 1});
    const auto machine = VirtualMachine::make(*program, kernels);
    if (!machine) return machine.refusal();
    const auto values = (*machine)->run({inputs.begin(), inputs.end()});
    if (!values) return values.refusal();
    std::vector<HostTensor> outputs;
    for (const WideTensor &value : *values) outputs.push_back(value.narrow());
    return outputs;
}

Outcome<std::vector<HostTensor>> byReference(const Module &module, std::span<const HostTensor> inputs) {
    ReferenceOptions options;
    options.threads = 1;
    const auto values = runReference(module, inputs, options);
    if (!values) return values.refusal();
    std::vector<HostTensor> outputs;
    for (const ValueId result : module.main().results()) outputs.push_back(values->at(result).narrow());
    return outputs;
}

Outcome<std::vector<HostTensor>> byKernels(const Module &module, std::span<const HostTensor> inputs,
                                           FusionMode fusion) {
    try {
        if (whyOnMachine(module, true)) return byMachine(module, inputs);
        NetworkChoice choice;
        choice.fusion = fusion;
        choice.level = usualLevel(fusion);
        choice.threads = 1;
        const PreparedNetwork prepared = prepareNetwork(ReadNetwork{module, {}}, choice);
        BuildOptions options;
        options.threads = 1;
        options.defaults = {.seed = 1, .population = 16, .generations = 1, .keep = 2};
        const auto built = buildPlan(prepared.optimised.main(), prepared.partition, oneCore(), options);
        if (!built) return built.refusal();
        PlanRunner runner(built->plan, {.threads = 1});
        for (size_t i = 0; i < inputs.size(); ++i) runner.setInput(i, inputs[i]);
        runner.run();
        std::vector<HostTensor> outputs;
        for (size_t i = 0; i < built->plan.outputs.size(); ++i) outputs.push_back(runner.output(i));
        return outputs;
    } catch (const Error &error) {
        return Refusal{error.sentence()};
    }
}

} // namespace loopscope
