#include "deploy/dispatch/dispatched_network.h"

#include "base/check.h"
#include "base/thread_pool.h"
#include "codegen/code_generator.h"
#include "deploy/dispatch/check_table.h"
#include "deploy/network/build.h"
#include "deploy/plan/memory_plan.h"
#include "networks/graph/dim_match.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace loopscope {

namespace {

Outcome<GeneralKernel> variantOf(const KernelFamily &family, const TableVariant &variant) {
    if (variant.only == 0)
        return generalKernelOfHash(family, variant.steps, variant.multiple, variant.tile, variant.hash);
    auto kernel = fixedKernel(family, variant.steps, variant.only);
    if (kernel && kernel->hash != variant.hash)
        return Refusal{fmt::format("its schedule is now a program with hash {}", kernel->hash)};
    return kernel;
}

/// Whose memory was planned for the bound has to be enough for every size.
std::string beyondMemory(const BuiltKernel &code, const ComputeDag &dag) {
    for (size_t i = 0; i < dag.args().size(); ++i) {
        const Tensor &tensor = *dag.args()[i];
        int64_t bytes = dtypeBytes(tensor.dtype);
        for (const int64_t dim : tensor.shape) bytes *= dim;
        if (code.launch.args[i].packing.empty() && argBytes(code.launch.args[i]) > static_cast<size_t>(bytes))
            return fmt::format("its argument {} is larger at another size than at the bound", i);
    }
    return {};
}

} // namespace

DispatchedNetwork::~DispatchedNetwork() = default;

Outcome<std::unique_ptr<DispatchedNetwork>> DispatchedNetwork::make(const SizedNetwork &network, const Target &target,
                                                                    const DispatchTable &table,
                                                                    const DispatchedOptions &options) {
    std::unique_ptr<DispatchedNetwork> made(new DispatchedNetwork(network));
    auto families = kernelFamilies(network, table.bound, target);
    if (!families) return families.refusal();
    made->m_table = table;
    made->m_families = std::move(families).value();
    const auto problems = mismatchesOf(table, made->m_families, *network.function(), network.partition());
    if (!problems.empty()) return Refusal{problems.front()};
    auto atBound = network.at(table.bound);
    if (!atBound) return atBound.refusal();
    made->m_atBound = std::move(atBound).value();
    if (auto done = made->compile(target, options); !done) return done.refusal();
    return made;
}

Outcome<bool> DispatchedNetwork::compileVariants(const Target &target, int threads, std::vector<PlanKernel> &kernels,
                                                 std::vector<std::vector<size_t>> &kernelsOf) {
    struct Work {
        size_t dispatched = 0;
        size_t variant = 0;
        size_t kernel = 0;
        std::string problem;
    };
    std::vector<Work> works;
    for (const NetworkFamily &one : m_families) {
        const std::string node = nodeOf(one, *m_network.function(), m_network.partition());
        const KernelTable &table = *std::ranges::find(m_table.kernels, node, &KernelTable::node);
        for (size_t v = 0; v < table.variants.size(); ++v) {
            works.push_back({m_dispatched.size(), v, kernels.size(), {}});
            for (const size_t k : one.kernels) kernelsOf[k].push_back(kernels.size());
            kernels.push_back({table.key, table.name, table.variants[v].steps, table.variants[v].origin, -1, {}});
        }
        m_dispatched.push_back({&one, &table, std::vector<GeneralKernel>(table.variants.size())});
    }
    ThreadPool pool(threads);
    std::vector<std::unique_ptr<CodeGenerator>> generators(static_cast<size_t>(pool.threads()));
    for (auto &generator : generators) {
        auto one = makeCodeGenerator(target);
        if (!one) return one.refusal();
        generator = std::move(one).value();
    }
    pool.forEach(works.size(), [&](size_t i, int worker) {
        Work &work = works[i];
        Dispatched &dispatched = m_dispatched[work.dispatched];
        const KernelFamily &family = dispatched.family->family;
        auto kernel = variantOf(family, dispatched.table->variants[work.variant]);
        if (!kernel) {
            work.problem = kernel.why();
            return;
        }
        auto code = buildGeneral(family, *kernel, *generators[static_cast<size_t>(worker)]);
        const auto dag = family.dagAt(family.bound);
        work.problem = !code ? code.why() : !dag ? dag.why() : beyondMemory(*code, **dag);
        if (!work.problem.empty()) return;
        kernels[work.kernel].code = std::move(code).value();
        dispatched.variants[work.variant] = std::move(kernel).value();
    });
    for (const Work &work : works) {
        const KernelTable &table = *m_dispatched[work.dispatched].table;
        if (!work.problem.empty())
            return Refusal{fmt::format("{} ({}): v{} is stale, it had the hash {}: {}", table.name, table.node,
                                       work.variant, table.variants[work.variant].hash, work.problem)};
    }
    return true;
}

Outcome<bool> DispatchedNetwork::compile(const Target &target, const DispatchedOptions &options) {
    const Partition &partition = m_network.partition();
    // Sizes of the bound alone would allow an output in the place of an input that is as large there.
    const auto memory = planMemory(*m_atBound, partition, {.inPlace = false});
    if (!memory) return memory.refusal();
    std::vector<PlanKernel> kernels;
    std::vector<std::vector<size_t>> kernelsOf(partition.kernels.size());
    if (auto done = compileVariants(target, options.threads, kernels, kernelsOf); !done) return done;

    auto hosts = hostKernels(*m_atBound, partition);
    if (!hosts) return hosts.refusal();
    for (HostKernel &host : *hosts) {
        kernelsOf[host.kernel].push_back(kernels.size());
        kernels.push_back(std::move(host.code));
    }
    auto tasks = kernelTasks(*m_atBound, partition, target);
    if (!tasks) return tasks.refusal();
    std::erase_if(*tasks, [&](const KernelTask &task) { return !kernelsOf[task.kernels.front()].empty(); });
    BuildOptions build;
    build.threads = options.threads;
    build.defaults = options.defaults;
    auto fixed = buildKernels(*tasks, target, build, m_notes);
    if (!fixed) return fixed.refusal();
    for (size_t t = 0; t < tasks->size(); ++t) {
        for (const size_t k : (*tasks)[t].kernels) kernelsOf[k].push_back(kernels.size());
        kernels.push_back(std::move((*fixed)[t]));
    }
    m_plan = makeExecutionPlan(*m_atBound, partition, *memory, std::move(kernels), kernelsOf, m_table.symbol);
    m_plan.network = m_table.network;
    m_plan.target = target.text();
    m_runner =
        std::make_unique<PlanRunner>(m_plan, PlanRunOptions{.threads = options.threads, .progress = options.progress});

    size_t call = 0;
    for (const size_t k : memory->order) {
        const bool runs = memory->actions[k] == KernelAction::Run;
        const auto found = std::ranges::find_if(m_dispatched, [&](const Dispatched &one) {
            return std::ranges::find(one.family->kernels, k) != one.family->kernels.end();
        });
        const Kernel &kernel = partition.kernels[k];
        m_slots.push_back({call, runs && found != m_dispatched.end() ? &*found : nullptr, runs ? &kernel : nullptr,
                           runs && isHostKernel(*m_atBound, kernel)});
        call += runs ? kernelsOf[k].size() : 1;
    }
    for (; call < m_plan.calls.size(); ++call) m_slots.push_back({call}); // copies of results
    return true;
}

std::vector<int64_t> DispatchedNetwork::dimsAt(ValueId value, int64_t size) const {
    const SymbolNumbers numbers = {{m_table.symbol, size}};
    std::vector<int64_t> dims;
    for (const Dim &dim : m_network.function()->type(value).dims) {
        const auto number = dim.evaluate(numbers);
        LOOPSCOPE_CHECK(number, "the function has one symbol");
        dims.push_back(*number);
    }
    return dims;
}

Outcome<int64_t> DispatchedNetwork::sizeOf(std::span<const HostTensor> inputs) const {
    const GraphFunction &function = *m_network.function();
    const auto &parameters = function.parameters();
    if (inputs.size() != m_network.inputs())
        return Refusal{fmt::format("the network takes {} inputs, and {} are given", m_network.inputs(), inputs.size())};
    SymbolNumbers numbers;
    for (size_t i = 0; i < inputs.size(); ++i) {
        const TensorType &type = function.type(parameters[i]);
        const std::string is = typeText({inputs[i].dtype(), asDims(inputs[i].dims())});
        const std::string &name = function.value(parameters[i]).name;
        if (inputs[i].dtype() != type.dtype || inputs[i].dims().size() != type.dims.size())
            return Refusal{
                fmt::format("the tensor for input `{}` is {}, the network takes {}", name, is, typeText(type))};
        if (const auto wrong = matchDims(type.dims, inputs[i].dims(), numbers))
            return Refusal{fmt::format("the tensor for input `{}` is {}: {}", name, is, wrong->sentence)};
    }
    const auto size = numbers.find(m_table.symbol);
    if (size == numbers.end()) return Refusal{fmt::format("the inputs do not say what {} is", m_table.symbol)};
    if (size->second < 1 || size->second > m_table.bound)
        return Refusal{fmt::format("{} = {} is none of the table's sizes, which are 1 to {}", m_table.symbol,
                                   size->second, m_table.bound)};
    return size->second;
}

Outcome<bool> DispatchedNetwork::setSize(int64_t size) {
    if (size < 1 || size > m_table.bound)
        return Refusal{fmt::format("{} = {} is none of the table's sizes, which are 1 to {}", m_table.symbol, size,
                                   m_table.bound)};
    auto known = m_known.find(size);
    if (known == m_known.end()) {
        auto made = runAt(size);
        if (!made) return made.refusal();
        known = m_known.emplace(size, std::move(made).value()).first;
    }
    m_active = &known->second.calls;
    m_size = size;
    const std::vector<HostTensor> &values = known->second.values;
    for (size_t i = 0; i < values.size(); ++i)
        std::memcpy(m_runner->inputMemory(m_network.inputs() + i), values[i].bytes(), values[i].byteSize());
    std::memcpy(m_runner->inputMemory(m_network.inputs() + values.size()), &size, sizeof size);
    return true;
}

Outcome<DispatchedNetwork::SizedRun> DispatchedNetwork::runAt(int64_t size) const {
    for (const Dispatched &one : m_dispatched) {
        const size_t variant = one.table->variantAt(size);
        const std::string why = whyNotAt(one.family->family, one.variants[variant], size);
        if (!why.empty())
            return Refusal{fmt::format("{} ({}): the table leads {} = {} to v{}, which does not hold there: {}",
                                       one.table->name, one.table->node, m_table.symbol, size, variant, why)};
    }
    SizedRun run;
    auto values = m_network.values(size);
    if (!values) return values.refusal();
    run.values = std::move(values).value();
    const auto there = m_network.at(size);
    if (!there) return there.refusal();
    if (auto wrong = wrongConstantIndex(**there)) return *std::move(wrong);
    for (const Slot &slot : m_slots) {
        const size_t call = slot.first + (slot.dispatched != nullptr ? slot.dispatched->table->variantAt(size) : 0);
        if (m_plan.calls[call].action == KernelAction::Nothing) continue;
        run.calls.push_back({call, nullptr});
        if (slot.kernel != nullptr) run.calls.back().checks = indexChecksOf(**there, *slot.kernel);
        if (!slot.host) continue;
        const auto routine = hostRoutineOf(**there, *slot.kernel);
        if (!routine) return routine.refusal();
        run.calls.back().host = std::make_unique<PreparedHost>(*routine, m_runner->argumentsOf(call));
    }
    return run;
}

void DispatchedNetwork::setInputs(std::span<const HostTensor> inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) {
        LOOPSCOPE_CHECK(inputs[i].dims() == dimsAt(m_network.function()->parameters()[i], m_size),
                        "inputs are of the size set");
        if (inputs[i].byteSize() > 0)
            std::memcpy(m_runner->inputMemory(i), inputs[i].dense().bytes(), inputs[i].byteSize());
    }
}

std::vector<HostTensor> DispatchedNetwork::outputs() const {
    std::vector<HostTensor> all;
    const GraphFunction &function = *m_network.function();
    for (size_t i = 0; i < function.results().size(); ++i) {
        const ValueId result = function.results()[i];
        const PlanTensor there = {{}, function.type(result).dtype, dimsAt(result, m_size)};
        all.push_back(HostTensor::fromBytes(there.dtype, there.dims, {m_runner->outputMemory(i), there.bytes()}));
    }
    return all;
}

std::vector<DispatchedNetwork::Choice> DispatchedNetwork::choices() const {
    std::vector<Choice> all;
    for (const Slot &slot : m_slots) {
        if (slot.dispatched == nullptr) continue;
        const KernelTable &table = *slot.dispatched->table;
        const size_t variant = table.variantAt(m_size);
        all.push_back({table.name, m_plan.calls[slot.first].nodes.front(), variant, table.variants[variant].origin});
    }
    return all;
}

} // namespace loopscope
