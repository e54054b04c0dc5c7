#include "deploy/plan/plan_runner.h"

#include "base/check.h"
#include "base/outcome.h"
#include "base/thread_pool.h"
#include "codegen/runtime/kernel_arguments.h"
#include "codegen/runtime/large_memory.h"
#include "deploy/plan/lifetimes.h"
#include "deploy/plan/workspace.h"
#include "language/target/cpu_features.h"
#include "language/target/machine.h"
#include "language/target/target.h"
#include "networks/op/integer_division.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <thread>

namespace loopscope {

namespace {

Workspace &workspaceOfThread() {
    static thread_local Workspace workspace; // as kernels have no way to say whose memory they want
    return workspace;
}

void *takeWorkspace(int64_t bytes) {
    void *memory = workspaceOfThread().take(static_cast<size_t>(std::max<int64_t>(bytes, 0)));
    if (memory == nullptr) _Exit(137);
    return memory;
}

void giveBackWorkspace(void *memory) { workspaceOfThread().giveBack(memory); }

void onTheCaller(void (*body)(int64_t begin, int64_t end, void *context), int64_t count, void *context) {
    if (count > 0) body(0, count, context);
}

/// Code for wider vectors than this machine has would end the process with the first of them.
void refuseOtherMachines(const ExecutionPlan &plan) {
    if (plan.kernels.empty()) return;
    const Target target = parseTarget(plan.target);
    const HostCpu host = hostCpu();
    const int here = vectorUnit(host.name, host.differences).bytes;
    if (target.vectorBytes > here)
        throw Error(
            fmt::format("the plan was built for `{}`, whose vectors have {} bytes; those of this machine have {}",
                        plan.target, target.vectorBytes, here));
}

int threadsFor(int wanted) {
    return wanted > 0 ? wanted : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

} // namespace

void openLibrariesOf(const ExecutionPlan *plan) {
    static std::vector<std::shared_ptr<const Baseline>> open; // as long as the process
    openMathLibraries();
    (void)thisMachine(); // which asks the system much
    if (plan == nullptr) return;
    for (const PlanKernel &kernel : plan->kernels) {
        const auto kind = kernel.routine ? baselineFromName(kernel.routine->library) : std::nullopt;
        if (!kind) continue;
        if (auto library = openBaseline(*kind)) open.push_back(std::move(library).value());
    }
}

class PlanRunner::Memory {
  public:
    explicit Memory(size_t bytes) : m_data(static_cast<std::byte *>(allocateLarge(bytes))) {
        if (m_data == nullptr) throw Error(fmt::format("there is no memory for {} bytes of a network", bytes));
        std::memset(m_data, 0, bytes);
    }
    ~Memory() { std::free(m_data); }
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;
    [[nodiscard]] std::byte *data() const { return m_data; }

  private:
    std::byte *m_data;
};

PlanRunner::PlanRunner(const ExecutionPlan &plan, const PlanRunOptions &options)
    : m_plan(plan), m_threads(threadsFor(options.threads)),
      m_runtime{m_threads == 1 ? onTheCaller : kernelRuntime().parallelFor, takeWorkspace, giveBackWorkspace},
      m_progress(options.progress != nullptr ? options.progress : &m_unwatched) {
    if (const auto problem = problemOf(plan)) throw Error("the plan cannot be run: " + *problem);
    refuseOtherMachines(plan);
    load();
    const auto own = [this](size_t bytes) {
        m_memory.push_back(std::make_unique<Memory>(bytes));
        return m_memory.back()->data();
    };
    m_arena = own(plan.arenaBytes);
    for (const PlanTensor &input : plan.inputs) m_inputs.push_back(own(input.bytes()));
    for (const PlanTensor &output : plan.outputs) m_outputs.push_back(own(output.bytes()));
    std::vector<size_t> places; // in one piece of memory, so that its pages are large
    size_t together = 0;
    for (const PackedConstant &packed : plan.packed) {
        m_packed.push_back(placeInPlan(packed));
        places.push_back(together);
        if (m_packed.back() != nullptr) continue;
        together += alignedBytes(std::max<size_t>(packed.bytes, 1));
    }
    std::byte *packedMemory = own(together);
    for (size_t i = 0; i < m_packed.size(); ++i)
        if (m_packed[i] == nullptr) m_packed[i] = packedMemory + places[i];
    pack();
    bindCalls();
    bindRoutines();
    for (const Call &call : m_calls)
        if (m_plan.calls[static_cast<size_t>(&call - m_calls.data())].action != KernelAction::Nothing)
            m_active.push_back(call);
    reserve();
}

PlanRunner::~PlanRunner() = default;

void PlanRunner::load() {
    for (const PlanKernel &kernel : m_plan.kernels) {
        if (kernel.code.launch.kind != TargetKind::Llvm)
            throw Error("kernel `" + kernel.name + "` is for a GPU; a plan is run on the processor");
        if (kernel.routine || kernel.host)
            m_kernels.emplace_back(std::nullopt);
        else
            m_kernels.emplace_back(std::in_place, kernel.code.object, kernel.code.launch.entry);
    }
}

/// Kernels only read constants: one that is wanted as it is, and aligned, needs no copy. Null for others.
std::byte *PlanRunner::placeInPlan(const PackedConstant &packed) const {
    const HostTensor &value = m_plan.constants[packed.constant].value;
    if (!packed.packing.empty() || value.isSplat() || packed.bytes == 0) return nullptr;
    const std::byte *bytes = value.bytes();
    const bool aligned = reinterpret_cast<uintptr_t>(bytes) % kBufferAlignment == 0;
    return aligned ? const_cast<std::byte *>(bytes) : nullptr;
}

void PlanRunner::pack() {
    ThreadPool pool(m_threads);
    pool.forEach(m_plan.packed.size(), [this](size_t i, int) {
        const PackedConstant &packed = m_plan.packed[i];
        if (packed.bytes == 0 || placeInPlan(packed) != nullptr) return;
        const HostTensor value = m_plan.constants[packed.constant].value.dense();
        if (packed.packing.empty()) {
            std::memcpy(m_packed[i], value.bytes(), packed.bytes);
            return;
        }
        KernelArg arg;
        arg.dtype = value.dtype();
        arg.shape = value.dims();
        arg.packing = packed.packing;
        arg.elements = static_cast<int64_t>(packed.bytes) / dtypeBytes(arg.dtype);
        packElements(arg, value.bytes(), m_packed[i]);
    });
}

std::byte *PlanRunner::place(const PlanArgument &argument) const {
    switch (argument.kind) {
    case StorageKind::Arena:
        return m_arena + argument.at;
    case StorageKind::Input:
        return m_inputs[argument.at];
    case StorageKind::Output:
        return m_outputs[argument.at];
    case StorageKind::Constant:
        return m_packed[argument.at];
    }
    return nullptr;
}

void PlanRunner::bindCalls() {
    size_t count = 0;
    for (const PlanCall &call : m_plan.calls) count += call.arguments.size();
    m_arguments.resize(count);
    size_t at = 0;
    for (const PlanCall &call : m_plan.calls) {
        Call prepared;
        prepared.arguments = m_arguments.data() + at;
        prepared.number = m_calls.size();
        for (const PlanArgument &argument : call.arguments) m_arguments[at++] = place(argument);
        if (call.action == KernelAction::Run) {
            prepared.kernel = m_kernels[call.kernel] ? &*m_kernels[call.kernel] : nullptr;
            if (const auto &host = m_plan.kernels[call.kernel].host) {
                m_hosts.push_back(std::make_unique<PreparedHost>(*host, prepared.arguments));
                prepared.host = m_hosts.back().get();
            }
        } else {
            prepared.bytes = call.arguments.front().bytes;
        }
        if (!call.checks.empty()) prepared.checked = &call;
        if (!call.divisors.empty()) prepared.divides = &call;
        m_calls.push_back(prepared);
    }
}

void PlanRunner::bindRoutines() {
    m_routines.resize(m_calls.size());
    for (size_t i = 0; i < m_calls.size(); ++i) {
        const PlanCall &call = m_plan.calls[i];
        if (call.action != KernelAction::Run || !m_plan.kernels[call.kernel].routine) continue;
        m_routines[i] = prepareRoutine(*m_plan.kernels[call.kernel].routine, m_calls[i].arguments, m_threads);
        m_calls[i].routine = m_routines[i].get();
    }
}

/// Every thread of the pool has what the kernel with the most needs; a little more, as each buffer begins aligned.
void PlanRunner::reserve() {
    constexpr size_t kForAlignment = size_t{64} << 10;
    static constexpr auto reserveHere = [](int64_t, int64_t, void *bytes) {
        workspaceOfThread().reserve(*static_cast<const size_t *>(bytes));
    };
    size_t most = 0;
    for (const PlanKernel &kernel : m_plan.kernels)
        most = std::max(most, static_cast<size_t>(std::max<int64_t>(kernel.code.launch.scratchBytes, 0)));
    if (m_threads > 1) setKernelThreads(m_threads);
    size_t bytes = most > 0 ? most + kForAlignment : 0;
    m_runtime.parallelFor(reserveHere, m_threads, &bytes);
}

void PlanRunner::setInput(size_t number, const HostTensor &tensor) {
    const PlanTensor &input = m_plan.inputs.at(number);
    if (tensor.dtype() != input.dtype || tensor.dims() != input.dims)
        throw Error("the tensor for input `" + input.name + "` is " +
                    typeText({tensor.dtype(), asDims(tensor.dims())}) + ", the network takes " +
                    typeText({input.dtype, asDims(input.dims)}));
    if (input.bytes() > 0) std::memcpy(m_inputs[number], tensor.dense().bytes(), input.bytes());
}

HostTensor PlanRunner::output(size_t number) const {
    const PlanTensor &tensor = m_plan.outputs.at(number);
    return HostTensor::fromBytes(tensor.dtype, tensor.dims, {m_outputs[number], tensor.bytes()});
}

void PlanRunner::copy(const Call &call) { std::memcpy(call.arguments[1], call.arguments[0], call.bytes); }

void checkDivisors(const PlanCall &call, void *const *arguments) {
    for (const PlanDivisor &divisor : call.divisors) {
        const HostTensor held = HostTensor::fromBytes(
            divisor.tensor.dtype, divisor.tensor.dims,
            {static_cast<const std::byte *>(arguments[divisor.argument]), divisor.tensor.bytes()});
        if (const auto zero = zeroAmong(held.integerValues(), divisor.tensor.dims, divisor.tensor.name))
            throw Error(divisionByZeroText(divisor.node, *zero));
    }
}

void PlanRunner::runOne(size_t call) {
    if (m_plan.calls.at(call).action == KernelAction::Nothing) return;
    runCall(m_calls[call]);
    m_progress->end();
}

void PlanRunner::runObserved(const std::function<void(size_t call)> &before,
                             const std::function<void(size_t call)> &after) {
    for (size_t i = 0; i < m_calls.size(); ++i) {
        if (before) before(i);
        runOne(i);
        if (after) after(i);
    }
}

HostTensor PlanRunner::callOutput(size_t call, size_t output) const {
    const PlanCall &planned = m_plan.calls.at(call);
    const PlanTensor &type = planned.outputs.at(output);
    const size_t argument = planned.arguments.size() - planned.outputs.size() + output;
    return HostTensor::fromBytes(type.dtype, type.dims,
                                 {static_cast<const std::byte *>(m_calls[call].arguments[argument]), type.bytes()});
}

void PlanRunner::fillArgument(size_t call, size_t argument, std::span<const std::byte> bytes) {
    const PlanArgument &planned = m_plan.calls.at(call).arguments.at(argument);
    LOOPSCOPE_CHECK(planned.kind != StorageKind::Constant && planned.bytes == bytes.size(),
                    "an argument is filled with its bytes");
    if (!bytes.empty()) std::memcpy(m_calls[call].arguments[argument], bytes.data(), bytes.size());
}

} // namespace loopscope
