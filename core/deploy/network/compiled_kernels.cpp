#include "deploy/network/compiled_kernels.h"

#include "deploy/network/build.h"
#include "deploy/network/prepare.h"
#include "deploy/plan/plan_runner.h"
#include "networks/op/infer_types.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace loopscope {

namespace {

/// The function as a network of its own, for inputs of these sizes.
Module networkOfSizes(const GraphFunction &function, std::span<const WideTensor *const> inputs) {
    FunctionParts parts = {"main", function.parameters(), function.results(), function.blocks(), {}};
    for (size_t i = 0; i < function.valueCount(); ++i) {
        Value value = function.value(ValueId(i));
        if (!value.constant) value.type.reset();
        parts.values.push_back(std::move(value));
    }
    for (size_t i = 0; i < inputs.size(); ++i)
        parts.values[parts.parameters[i].index()].type = TensorType{inputs[i]->dtype, asDims(inputs[i]->dims)};
    Module network;
    network.name = function.name();
    network.functions.push_back(GraphFunction::fromParts(std::move(parts)));
    return network;
}

std::string keyOf(const GraphFunction &function, std::span<const WideTensor *const> inputs) {
    std::string key = function.name();
    for (const WideTensor *input : inputs) key += "; " + typeText({input->dtype, asDims(input->dims)});
    return key;
}

} // namespace

struct CompiledKernels::Compiled {
    BuiltPlan built;
    std::unique_ptr<PlanRunner> runner;
};

CompiledKernels::CompiledKernels(Target target, const CompiledKernelOptions &options)
    : m_target(std::move(target)), m_options(options),
      m_reference(options.threads, kMaxReferenceElements, options.packed) {}
CompiledKernels::~CompiledKernels() = default;

Outcome<std::vector<WideTensor>> CompiledKernels::run(const GraphFunction &function, const Node &node,
                                                      std::span<const WideTensor *const> inputs) {
    return m_reference.run(function, node, inputs);
}

std::unique_ptr<CompiledKernels::Compiled> CompiledKernels::compile(const GraphFunction &function,
                                                                    std::span<const WideTensor *const> inputs) {
    const auto leave = [&](const std::string &why) {
        m_notes.push_back(fmt::format("{} is left to the reference: {}", keyOf(function, inputs), why));
        return nullptr;
    };
    auto made = std::make_unique<Compiled>();
    try {
        auto typed = inferTypes(networkOfSizes(function, inputs));
        if (!typed) return leave(typed.why());
        const PreparedNetwork prepared = prepareNetwork(ReadNetwork{*std::move(typed), {}}, NetworkChoice{});
        BuildOptions options;
        options.threads = m_options.threads;
        options.defaults.seed = m_options.seed;
        auto built = buildPlan(prepared.optimised.main(), prepared.partition, m_target, options);
        if (!built) return leave(built.why());
        made->built = *std::move(built);
        if (made->built.plan.outputs.size() != function.results().size()) return leave("a value is a result twice");
        made->runner = std::make_unique<PlanRunner>(
            made->built.plan, PlanRunOptions{.threads = m_options.threads, .progress = m_options.progress});
    } catch (const Error &error) {
        return leave(error.sentence());
    }
    ++m_compilations;
    return made;
}

std::optional<Outcome<std::vector<WideTensor>>>
CompiledKernels::runFunction(const GraphFunction &function, std::span<const WideTensor *const> inputs) {
    if (function.nodeCount() == 0) return std::nullopt; // hands on what it is given
    const std::string key = keyOf(function, inputs);
    auto at = m_compiled.find(key);
    if (at == m_compiled.end()) at = m_compiled.emplace(key, compile(function, inputs)).first;
    if (!at->second) return std::nullopt;
    PlanRunner &runner = *at->second->runner;
    for (size_t i = 0; i < inputs.size(); ++i) runner.setInput(i, inputs[i]->narrow());
    const auto name = [&](size_t call) {
        m_options.progress->setName(
            fmt::format("`{}` of function `{}`", runner.plan().calls[call].name, function.name()));
    };
    if (m_options.progress != nullptr)
        runner.runObserved(name, {});
    else
        runner.run();
    std::vector<WideTensor> outputs;
    for (size_t i = 0; i < function.results().size(); ++i) outputs.push_back(WideTensor::of(runner.output(i)));
    return outputs;
}

} // namespace loopscope
