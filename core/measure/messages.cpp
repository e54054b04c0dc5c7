#include "measure/messages.h"

#include "check.h"
#include "fields.h"
#include "isolate/wire.h"
#include "te/workload.h"

#include <map>
#include <tuple>
#include <type_traits>

namespace loopscope {

namespace {

// The one list of what is sent: writing and reading walk it alike, and it cannot lack a field (fields.h). Structs not
// named here travel as they lie in memory, whole.
LOOPSCOPE_FIELDS(Target, kind, keys, attrs, hardware, cpu, features, vectorBytes, vectorRegisters, l1Bytes, l2Bytes,
                 l3Bytes, leastParallelStores)
LOOPSCOPE_FIELDS(SetupMessage, task, workload, dagKey, target, layoutRewrite, memoryLimitMiB, kernelThreads, seed,
                 referenceThreads)
LOOPSCOPE_FIELDS(ReadyMessage, problem, note)
LOOPSCOPE_FIELDS(BuildRequest, task, steps, fault)
LOOPSCOPE_FIELDS(KernelArg, name, output, dtype, elements, shape, packing)
LOOPSCOPE_FIELDS(KernelLaunch, kind, entry, args, grid, block, threads, scratchBytes)
LOOPSCOPE_FIELDS(BuiltKernel, object, launch)
LOOPSCOPE_FIELDS(BuildReply, error, reason, seconds, kernel)
LOOPSCOPE_FIELDS(DisassemblyRequest, steps, maxBytes, fault)
LOOPSCOPE_FIELDS(LinkedText, text, links)
LOOPSCOPE_FIELDS(AssemblySummary, counts, bytes, vectorRegistersUsed, gpRegistersUsed, stackBytes, innermostLoops)
LOOPSCOPE_FIELDS(Disassembly, loops, ir, assembly, summary, seconds)
LOOPSCOPE_FIELDS(DisassemblyReply, problem, disassembly)
LOOPSCOPE_FIELDS(RunRequest, task, kernels, rounds, timeout, minRepeatSeconds, minSamples, maxSamples, maxTimingSeconds,
                 agreement, bestKnownSeconds, disturbedSeconds, fault)
LOOPSCOPE_FIELDS(RunReply, error, reason, failedKernel, unstable, maxError, seconds, disturbedSeconds, samples, least)

using Attrs = std::map<std::string, std::string>;

template <typename T>
concept HasFields = requires(T &value) { fieldsOf(value); };
template <typename T> struct IsNestedList : std::false_type {};
template <typename T> struct IsNestedList<std::vector<T>> : std::bool_constant<!std::is_trivially_copyable_v<T>> {};

void sendField(WireWriter &wire, const Attrs &attrs) {
    wire.put(static_cast<uint64_t>(attrs.size()));
    for (const auto &[name, value] : attrs) {
        wire.put(name);
        wire.put(value);
    }
}
template <typename T> void sendField(WireWriter &wire, const T &value) {
    if constexpr (HasFields<const T>) {
        std::apply([&](const auto &...fields) { (sendField(wire, fields), ...); }, fieldsOf(value));
    } else if constexpr (IsNestedList<T>::value) {
        wire.put(static_cast<uint64_t>(value.size()));
        for (const auto &item : value) sendField(wire, item);
    } else {
        wire.put(value);
    }
}

constexpr uint64_t kMostItems = 1'000'000; // of a list of structs

void receiveField(WireReader &wire, Attrs &attrs) {
    const auto count = wire.get<uint64_t>();
    if (count > kMostItems) throw WireError();
    for (uint64_t i = 0; i < count; ++i) {
        auto name = wire.get<std::string>();
        attrs[std::move(name)] = wire.get<std::string>();
    }
}
template <typename T> void receiveField(WireReader &wire, T &value) {
    if constexpr (HasFields<T>) {
        std::apply([&](auto &...fields) { (receiveField(wire, fields), ...); }, fieldsOf(value));
    } else if constexpr (IsNestedList<T>::value) {
        const auto count = wire.get<uint64_t>();
        if (count > kMostItems) throw WireError();
        value.resize(count);
        for (auto &item : value) receiveField(wire, item);
    } else {
        wire.get(value);
    }
}

template <typename Message> std::string write(const Message &message) {
    WireWriter wire;
    wire.put(Message::kKind);
    sendField(wire, message);
    return wire.bytes();
}

template <typename Message> Message read(std::string_view bytes) {
    Message message;
    WireReader wire(bytes);
    if (wire.get<MessageKind>() != Message::kKind) throw WireError();
    receiveField(wire, message);
    return message;
}

} // namespace

MessageKind kindOf(std::string_view bytes) { return WireReader(bytes).get<MessageKind>(); }

std::string encode(const SetupMessage &message) { return write(message); }
std::string encode(const ReadyMessage &message) { return write(message); }
std::string encode(const BuildRequest &message) { return write(message); }
std::string encode(const BuildReply &message) { return write(message); }
std::string encode(const DisassemblyRequest &message) { return write(message); }
std::string encode(const DisassemblyReply &message) { return write(message); }
std::string encode(const RunRequest &message) { return write(message); }
std::string encode(const RunReply &message) { return write(message); }
SetupMessage decodeSetup(std::string_view bytes) { return read<SetupMessage>(bytes); }
ReadyMessage decodeReady(std::string_view bytes) { return read<ReadyMessage>(bytes); }
BuildRequest decodeBuildRequest(std::string_view bytes) { return read<BuildRequest>(bytes); }
BuildReply decodeBuildReply(std::string_view bytes) { return read<BuildReply>(bytes); }
DisassemblyRequest decodeDisassemblyRequest(std::string_view bytes) { return read<DisassemblyRequest>(bytes); }
DisassemblyReply decodeDisassemblyReply(std::string_view bytes) { return read<DisassemblyReply>(bytes); }
RunRequest decodeRunRequest(std::string_view bytes) { return read<RunRequest>(bytes); }
RunReply decodeRunReply(std::string_view bytes) { return read<RunReply>(bytes); }

SetupMessage makeSetup(const Task &task) {
    SetupMessage setup;
    setup.workload = printWorkload(task.dag->name(), task.dag->ops(), task.dag->args());
    setup.dagKey = task.dag->key();
    setup.target = task.target;
    setup.layoutRewrite = static_cast<int>(task.layoutRewrite);
    return setup;
}

DagPtr dagOf(const SetupMessage &setup) {
    DagPtr dag = ComputeDag::fromWorkload(parseWorkload(setup.workload, "the task's workload"));
    LOOPSCOPE_CHECK(dag->key() == setup.dagKey, "the workload's text gives the same task again");
    return dag;
}

} // namespace loopscope
