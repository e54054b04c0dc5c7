#include "base/check.h"
#include "deploy/plan/execution_plan.h"
#include "language/tensor/content_hash.h"
#include "networks/op/integer_division.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace loopscope {

namespace {

class PlanMaker {
  public:
    PlanMaker(const GraphFunction &function, const Partition &partition, const MemoryPlan &memory)
        : m_function(function), m_partition(partition), m_memory(memory) {}

    ExecutionPlan make(std::vector<PlanKernel> kernels, const std::vector<std::vector<size_t>> &kernelsOf,
                       const std::string &size) {
        m_plan.network = m_function.name();
        m_plan.kernels = std::move(kernels);
        for (const ValueId parameter : m_function.parameters()) m_plan.inputs.push_back(tensorOf(parameter));
        for (const ValueId result : m_function.results()) m_plan.outputs.push_back(tensorOf(result));
        if (!size.empty()) m_plan.inputs.push_back({size, DType::Int64, {1}});
        for (const size_t k : m_memory.order) {
            if (m_memory.actions[k] != KernelAction::Run)
                addCall(k, PlanCall::kNoKernel);
            else
                for (const size_t kernel : kernelsOf[k]) addCall(k, kernel);
            LOOPSCOPE_CHECK(m_memory.actions[k] != KernelAction::Run || !kernelsOf[k].empty(),
                            "code was made for every kernel that runs: " + m_partition.kernels[k].name);
        }
        for (const size_t result : m_memory.copiedResults) addResultCopy(result);
        for (const ValueStorage &storage : m_memory.values) addValue(storage);
        m_plan.arenaBytes = m_memory.arenaBytes;
        m_plan.livePeak = m_memory.livePeak;
        m_plan.withoutReuse = m_memory.withoutReuse;
        return std::move(m_plan);
    }

  private:
    [[nodiscard]] PlanTensor tensorOf(ValueId value) const {
        const TensorType &type = m_function.type(value);
        return {m_function.value(value).name, type.dtype, constantDims(type.dims).value()};
    }

    /// `arg`: as the kernel declares it; null: as the value is.
    PlanArgument argumentFor(ValueId value, const KernelArg *arg) {
        const ValueStorage *storage = m_memory.find(value);
        LOOPSCOPE_CHECK(storage != nullptr, "no memory was planned for " + m_function.value(value).name);
        PlanArgument argument = {storage->kind, 0, storage->bytes, m_function.value(value).name};
        switch (storage->kind) {
        case StorageKind::Arena:
            argument.at = storage->offset;
            break;
        case StorageKind::Input:
        case StorageKind::Output:
            argument.at = storage->index;
            break;
        case StorageKind::Constant:
            argument.at = packedConstant(value, arg);
            argument.bytes = m_plan.packed[argument.at].bytes;
            break;
        }
        const bool asItIs = arg == nullptr || argument.kind == StorageKind::Constant || arg->packing.empty();
        LOOPSCOPE_CHECK(asItIs, "only constants can be laid out before a run: " + argument.value);
        LOOPSCOPE_CHECK(arg == nullptr || argBytes(*arg) <= argument.bytes,
                        "a kernel does not reach beyond " + argument.value);
        return argument;
    }

    size_t packedConstant(ValueId value, const KernelArg *arg) {
        HostTensor tensor = constantBehind(value);
        const bool packs = arg != nullptr && !arg->packing.empty();
        if (packs) tensor = tensor.reshaped(arg->shape); // a kernel may see a bias with other dims
        const size_t constant = constantNumber(tensor);
        PackedConstant packed = {constant, {}, tensor.byteSize()};
        if (packs) {
            packed.packing = arg->packing;
            packed.bytes = argBytes(*arg);
        }
        std::vector<int64_t> map;
        for (const PackedDim &dim : packed.packing)
            map.insert(map.end(), {static_cast<int64_t>(dim.origin), dim.stride, dim.extent});
        const auto [found, fresh] = m_packed.try_emplace({constant, map}, m_plan.packed.size());
        if (fresh) m_plan.packed.push_back(std::move(packed));
        return found->second;
    }

    /// An alias of a constant has its elements with other dims.
    HostTensor constantBehind(ValueId value) {
        if (const HostTensor *constant = m_function.constant(value)) return *constant;
        const Kernel &kernel = m_partition.kernels[m_partition.kernelOf[m_function.value(value).producer.index()]];
        return constantBehind(kernel.inputs.front()).reshaped(constantDims(m_function.type(value).dims).value());
    }

    size_t constantNumber(const HostTensor &tensor) {
        const Hash128 hash = contentHash(tensor);
        const auto [found, fresh] = m_constants.try_emplace(hash, m_plan.constants.size());
        if (fresh) m_plan.constants.push_back({m_nameOfConstant, hash.text(), tensor});
        return found->second;
    }

    void addCall(size_t k, size_t kernelOf) {
        const Kernel &kernel = m_partition.kernels[k];
        PlanCall call;
        call.name = kernel.name;
        call.action = m_memory.actions[k];
        const auto add = [&](ValueId value, const KernelArg *arg) {
            m_nameOfConstant = m_function.value(value).name;
            call.arguments.push_back(argumentFor(value, arg));
        };
        if (call.action == KernelAction::Run) {
            call.kernel = kernelOf;
            LOOPSCOPE_CHECK(kernelOf < m_plan.kernels.size(), "code was made for every kernel that runs");
            const std::vector<KernelArg> &args = m_plan.kernels[kernelOf].code.launch.args;
            const size_t own = kernel.inputs.size() + kernel.outputs.size();
            const bool sized = m_plan.inputs.size() > m_function.parameters().size() && args.size() == own + 1;
            LOOPSCOPE_CHECK(args.size() == own || sized, "code has the kernel's arguments: " + kernel.name);
            size_t at = 0;
            for (const ValueId input : kernel.inputs) add(input, &args[at++]);
            for (const ValueId output : kernel.outputs) add(output, &args[at++]);
            if (sized)
                call.arguments.push_back({StorageKind::Input, m_plan.inputs.size() - 1, m_plan.inputs.back().bytes(),
                                          m_plan.inputs.back().name});
        } else {
            // A concat whose inputs lie in its output copies from nowhere.
            add(kernel.joins ? kernel.outputs.front() : kernel.inputs.front(), nullptr);
            add(kernel.outputs.front(), nullptr);
        }
        if (call.action == KernelAction::Run && m_plan.inputs.size() == m_function.parameters().size())
            call.checks = indexChecksOf(m_function, kernel);
        for (const ValueId output : kernel.outputs) call.outputs.push_back(tensorOf(output));
        for (const NodeId id : kernel.nodes) {
            const Node &node = m_function.node(id);
            call.nodes.push_back(node.name);
            if (const auto divisor = checkedDivisor(m_function, node)) addDivisor(call, kernel, node, *divisor);
            for (const std::string &source : node.sources)
                if (std::find(call.sources.begin(), call.sources.end(), source) == call.sources.end())
                    call.sources.push_back(source);
        }
        m_plan.calls.push_back(std::move(call));
    }

    /// Not in a plan for several sizes, where not all elements are computed.
    void addDivisor(PlanCall &call, const Kernel &kernel, const Node &node, ValueId divisor) const {
        const auto found = std::find(kernel.inputs.begin(), kernel.inputs.end(), divisor);
        if (found == kernel.inputs.end() || m_plan.inputs.size() > m_function.parameters().size()) return;
        call.divisors.push_back(
            {static_cast<size_t>(found - kernel.inputs.begin()), tensorOf(divisor), nodeText(node)});
    }

    void addResultCopy(size_t result) {
        const ValueId value = m_function.results()[result];
        PlanCall call;
        call.name = "copy";
        call.action = KernelAction::Copy;
        m_nameOfConstant = m_function.value(value).name;
        call.arguments.push_back(argumentFor(value, nullptr));
        call.arguments.push_back(
            {StorageKind::Output, result, m_plan.outputs[result].bytes(), m_plan.outputs[result].name});
        call.outputs.push_back(tensorOf(value));
        m_plan.calls.push_back(std::move(call));
    }

    void addValue(const ValueStorage &storage) {
        if (storage.kind == StorageKind::Constant) return;
        const auto name = [&](ValueId value) { return value.value < 0 ? std::string() : m_function.value(value).name; };
        m_plan.values.push_back({name(storage.value), storage.kind, storage.offset, storage.bytes, storage.first,
                                 storage.last, name(storage.sharesWith)});
    }

    const GraphFunction &m_function;
    const Partition &m_partition;
    const MemoryPlan &m_memory;
    ExecutionPlan m_plan;
    std::map<Hash128, size_t> m_constants;
    std::map<std::pair<size_t, std::vector<int64_t>>, size_t> m_packed;
    std::string m_nameOfConstant;
};

} // namespace

ExecutionPlan makeExecutionPlan(const GraphFunction &function, const Partition &partition, const MemoryPlan &memory,
                                std::vector<PlanKernel> kernels, const std::vector<size_t> &kernelOf) {
    std::vector<std::vector<size_t>> single;
    for (const size_t kernel : kernelOf) single.push_back({kernel});
    return PlanMaker(function, partition, memory).make(std::move(kernels), single, {});
}

ExecutionPlan makeExecutionPlan(const GraphFunction &function, const Partition &partition, const MemoryPlan &memory,
                                std::vector<PlanKernel> kernels, const std::vector<std::vector<size_t>> &kernelsOf,
                                const std::string &size) {
    return PlanMaker(function, partition, memory).make(std::move(kernels), kernelsOf, size);
}

} // namespace loopscope
