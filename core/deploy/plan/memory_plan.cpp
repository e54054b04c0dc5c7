#include "deploy/plan/memory_plan.h"

#include "base/check.h"
#include "deploy/plan/kernel_order.h"
#include "deploy/plan/overwritten_inputs.h"
#include "deploy/plan/placement.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

namespace loopscope {

namespace {

constexpr size_t kNone = std::numeric_limits<size_t>::max();

/// Memory that one value, or several which share it, lie in.
struct Storage {
    StorageKind kind = StorageKind::Arena;
    size_t index = 0;
    size_t bytes = 0;
    BufferLifetime life = {};
};

class MemoryPlanner {
  public:
    MemoryPlanner(const GraphFunction &function, const Partition &partition, const MemoryOptions &options)
        : m_function(function), m_partition(partition), m_options(options), m_storageOf(function.valueCount(), kNone),
          m_within(function.valueCount(), 0), m_sharesWith(function.valueCount()) {}

    std::optional<Refusal> collectValues() {
        for (size_t i = 0; i < m_function.parameters().size(); ++i)
            if (auto refused = add(m_function.parameters()[i], {.kind = StorageKind::Input, .index = i}))
                return refused;
        for (const Kernel &kernel : m_partition.kernels) {
            for (const ValueId input : kernel.inputs)
                if (m_function.isConstant(input))
                    if (auto refused = add(input, {.kind = StorageKind::Constant})) return refused;
            for (const ValueId output : kernel.outputs)
                if (auto refused = add(output, {})) return refused;
        }
        for (const ValueId result : m_function.results())
            if (m_function.isConstant(result))
                if (auto refused = add(result, {.kind = StorageKind::Constant})) return refused;
        return std::nullopt;
    }

    MemoryPlan plan() {
        placeResults();
        shareAliases();
        joinParts();
        for (const Storage &storage : m_storages)
            if (storage.kind == StorageKind::Arena && isUsed(storage))
                m_plan.withoutReuse += alignedBytes(storage.bytes);
        order();
        lifetimes();
        if (m_options.inPlace) overwriteInputs();
        placeInArena();
        return std::move(m_plan);
    }

  private:
    std::optional<Refusal> add(ValueId value, Storage storage) {
        if (m_storageOf[value.index()] != kNone) return std::nullopt;
        const TensorType &type = m_function.type(value);
        const auto dims = constantDims(type.dims);
        const int64_t elements = dims ? elementCount(*dims) : -1;
        constexpr int64_t kMaxElements = std::numeric_limits<int64_t>::max() / 64;
        if (elements < 0 || elements > kMaxElements)
            return Refusal{"memory cannot be planned: `" + m_function.value(value).name + "` has dims " +
                           dimsText(type.dims) + "; every dim has to be a number"};
        storage.bytes = static_cast<size_t>(elements) * static_cast<size_t>(dtypeBytes(type.dtype));
        m_storageOf[value.index()] = m_storages.size();
        m_storages.push_back(storage);
        return std::nullopt;
    }

    [[nodiscard]] size_t storageOf(ValueId value) const {
        const size_t storage = m_storageOf[value.index()];
        LOOPSCOPE_CHECK(storage != kNone, "every value between kernels has storage: " + m_function.value(value).name);
        return storage;
    }

    [[nodiscard]] bool isUsed(const Storage &storage) const {
        const auto at = static_cast<size_t>(&storage - m_storages.data());
        return std::find(m_storageOf.begin(), m_storageOf.end(), at) != m_storageOf.end();
    }

    void placeResults() {
        for (size_t i = 0; i < m_function.results().size(); ++i) {
            Storage &storage = m_storages[storageOf(m_function.results()[i])];
            if (storage.kind == StorageKind::Arena)
                storage = {.kind = StorageKind::Output, .index = i, .bytes = storage.bytes};
            else
                m_plan.copiedResults.push_back(i);
        }
    }

    /// All values of one storage move into another, so many bytes behind its begin.
    void merge(size_t from, size_t into, size_t at = 0) {
        for (size_t v = 0; v < m_storageOf.size(); ++v) {
            if (m_storageOf[v] != from) continue;
            m_storageOf[v] = into;
            m_within[v] += at;
        }
    }

    /// Nothing else lies beside it in its storage.
    [[nodiscard]] bool isWhole(ValueId value) const { return bytesOf(value) == m_storages[storageOf(value)].bytes; }
    /// Of a value that has storage, so its dims are numbers.
    [[nodiscard]] size_t bytesOf(ValueId value) const {
        const TensorType &type = m_function.type(value);
        const int64_t elements = elementCount(constantDims(type.dims).value());
        return static_cast<size_t>(elements) * static_cast<size_t>(dtypeBytes(type.dtype));
    }

    void shareAliases() {
        m_plan.actions.assign(m_partition.kernels.size(), KernelAction::Run);
        for (size_t k = 0; k < m_partition.kernels.size(); ++k) {
            const Kernel &kernel = m_partition.kernels[k];
            if (!kernel.alias) continue;
            LOOPSCOPE_CHECK(!kernel.inputs.empty() && kernel.outputs.size() == 1, "an alias has one value");
            const size_t in = storageOf(kernel.inputs.front());
            const size_t out = storageOf(kernel.outputs.front());
            LOOPSCOPE_CHECK(m_storages[in].bytes == m_storages[out].bytes, "an alias has as many bytes");
            m_plan.actions[k] = KernelAction::Nothing;
            m_sharesWith[kernel.outputs.front().index()] = kernel.inputs.front();
            if (m_storages[out].kind == StorageKind::Arena) {
                merge(out, in);
            } else if (m_storages[in].kind == StorageKind::Arena) {
                merge(in, out);
            } else {
                m_plan.actions[k] = KernelAction::Copy;
                m_sharesWith[kernel.outputs.front().index()] = {};
            }
        }
    }

    /// A joint buffer that is itself a part moves with all that lies in it.
    void joinParts() {
        for (size_t k = 0; k < m_partition.kernels.size(); ++k) {
            const Kernel &kernel = m_partition.kernels[k];
            if (!kernel.joins) continue;
            const ValueId joint = kernel.outputs.front();
            const size_t into = storageOf(joint);
            size_t at = 0;
            for (const ValueId part : m_function.node(kernel.nodes.front()).inputs) {
                const size_t from = storageOf(part);
                const size_t bytes = m_storages[from].bytes;
                LOOPSCOPE_CHECK(from != into && m_storages[from].kind == StorageKind::Arena && isWhole(part) &&
                                    m_storages[into].kind == StorageKind::Arena,
                                "a part of a concat can lie in it: " + m_function.value(part).name);
                merge(from, into, at);
                m_sharesWith[part.index()] = joint;
                at += bytes;
            }
            LOOPSCOPE_CHECK(at == m_storages[into].bytes, "parts fill what they are joined to");
            m_plan.actions[k] = KernelAction::Nothing;
        }
    }

    void order() {
        OrderProblem problem;
        for (const Storage &storage : m_storages)
            problem.bytes.push_back(storage.kind == StorageKind::Arena ? storage.bytes : 0);
        std::vector<size_t> makerOf(m_function.valueCount(), kNone);
        for (size_t k = 0; k < m_partition.kernels.size(); ++k)
            for (const ValueId output : m_partition.kernels[k].outputs) makerOf[output.index()] = k;
        for (size_t k = 0; k < m_partition.kernels.size(); ++k) {
            const Kernel &kernel = m_partition.kernels[k];
            KernelTraffic traffic;
            const auto addOnce = [](std::vector<size_t> &list, size_t item) {
                if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
            };
            for (const ValueId input : kernel.inputs) {
                if (makerOf[input.index()] != kNone) addOnce(traffic.after, makerOf[input.index()]);
                addOnce(traffic.reads, storageOf(input));
            }
            for (const ValueId output : kernel.outputs)
                if (m_plan.actions[k] != KernelAction::Nothing) addOnce(traffic.writes, storageOf(output));
            m_overwritable.push_back(m_options.inPlace ? overwritableInputs(m_function, kernel)
                                                       : std::vector<ValueId>());
            for (const ValueId input : m_overwritable.back())
                if (readsOnce(kernel, storageOf(input)) && isWhole(input) && isWhole(kernel.outputs.front()))
                    traffic.mayOverwrite.push_back(storageOf(input));
            problem.kernels.push_back(std::move(traffic));
        }
        if (m_options.reorder) {
            m_plan.order = orderForLowPeak(problem, m_options.seed);
        } else {
            m_plan.order.resize(m_partition.kernels.size());
            std::iota(m_plan.order.begin(), m_plan.order.end(), size_t{0});
        }
    }

    /// The kernel sees that memory through one of its inputs alone.
    [[nodiscard]] bool readsOnce(const Kernel &kernel, size_t storage) const {
        return std::count_if(kernel.inputs.begin(), kernel.inputs.end(),
                             [&](ValueId input) { return storageOf(input) == storage; }) == 1;
    }

    void lifetimes() {
        const BufferLifetime never = {.bytes = 0, .first = m_plan.order.size(), .last = 0};
        m_life.assign(m_function.valueCount(), never);
        for (Storage &storage : m_storages) {
            storage.life = never;
            storage.life.bytes = storage.bytes;
        }
        const auto touch = [&](ValueId value, size_t at) {
            for (BufferLifetime *life : {&m_life[value.index()], &m_storages[storageOf(value)].life}) {
                life->first = std::min(life->first, at);
                life->last = std::max(life->last, at);
            }
        };
        for (size_t at = 0; at < m_plan.order.size(); ++at) {
            const Kernel &kernel = m_partition.kernels[m_plan.order[at]];
            for (const ValueId input : kernel.inputs) touch(input, at);
            for (const ValueId output : kernel.outputs) touch(output, at);
        }
    }

    void overwriteInputs() {
        for (size_t at = 0; at < m_plan.order.size(); ++at) {
            const size_t k = m_plan.order[at];
            const Kernel &kernel = m_partition.kernels[k];
            if (m_plan.actions[k] != KernelAction::Run || kernel.outputs.size() != 1) continue;
            const size_t out = storageOf(kernel.outputs.front());
            if (m_storages[out].kind != StorageKind::Arena) continue;
            for (const ValueId input : m_overwritable[k]) {
                const size_t in = storageOf(input);
                Storage &storage = m_storages[in];
                if (storage.kind != StorageKind::Arena || storage.life.last != at || in == out ||
                    storage.bytes != m_storages[out].bytes || !readsOnce(kernel, in) || !isWhole(input) ||
                    !isWhole(kernel.outputs.front()))
                    continue;
                storage.life.last = m_storages[out].life.last;
                m_sharesWith[kernel.outputs.front().index()] = input;
                merge(out, in);
                break;
            }
        }
    }

    void placeInArena() {
        std::vector<BufferLifetime> buffers;
        std::vector<size_t> bufferOf(m_storages.size(), kNone);
        for (size_t s = 0; s < m_storages.size(); ++s) {
            if (m_storages[s].kind != StorageKind::Arena || !isUsed(m_storages[s])) continue;
            bufferOf[s] = buffers.size();
            buffers.push_back(m_storages[s].life);
        }
        const BufferPlacement placement = placeBuffers(buffers, {.seed = m_options.seed});
        m_plan.arenaBytes = placement.arenaBytes;
        m_plan.livePeak = livePeak(buffers);
        for (size_t v = 0; v < m_storageOf.size(); ++v) {
            if (m_storageOf[v] == kNone) continue;
            const Storage &storage = m_storages[m_storageOf[v]];
            ValueStorage value;
            value.value = ValueId(v);
            value.kind = storage.kind;
            value.index = storage.index;
            value.bytes = storage.bytes;
            if (storage.kind == StorageKind::Arena) value.bytes = bytesOf(value.value);
            value.first = m_life[v].first;
            value.last = m_life[v].last;
            if (bufferOf[m_storageOf[v]] != kNone)
                value.offset = placement.offsets[bufferOf[m_storageOf[v]]] + m_within[v];
            value.sharesWith = m_sharesWith[v];
            m_plan.values.push_back(value);
        }
    }

    const GraphFunction &m_function;
    const Partition &m_partition;
    const MemoryOptions &m_options;
    std::vector<Storage> m_storages;
    std::vector<size_t> m_storageOf;    // by value
    std::vector<size_t> m_within;       // by value, bytes behind the begin of its storage
    std::vector<BufferLifetime> m_life; // of each value alone
    std::vector<ValueId> m_sharesWith;
    std::vector<std::vector<ValueId>> m_overwritable; // by kernel
    MemoryPlan m_plan;
};

} // namespace

std::string_view storageKindName(StorageKind kind) {
    switch (kind) {
    case StorageKind::Arena:
        return "arena";
    case StorageKind::Input:
        return "input";
    case StorageKind::Output:
        return "output";
    case StorageKind::Constant:
        return "constant";
    }
    return {};
}

const ValueStorage *MemoryPlan::find(ValueId value) const {
    const auto found = std::lower_bound(values.begin(), values.end(), value,
                                        [](const ValueStorage &each, ValueId id) { return each.value < id; });
    return found != values.end() && found->value == value ? &*found : nullptr;
}

Outcome<MemoryPlan> planMemory(const GraphFunction &function, const Partition &partition,
                               const MemoryOptions &options) {
    MemoryPlanner planner(function, partition, options);
    if (auto refused = planner.collectValues()) return *refused;
    return planner.plan();
}

} // namespace loopscope
