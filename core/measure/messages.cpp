#include "measure/messages.h"

#include "base/check.h"
#include "base/fnv_hash.h"
#include "base/isolate/field_wire.h"
#include "base/outcome.h"
#include "language/te/workload.h"
#include "measure/build_id.h"

#include <tuple>
#include <type_traits>

namespace loopscope {

// The one list of what is sent: writing and reading walk it alike, and it cannot lack a field
// (base/isolate/field_wire.h).
LOOPSCOPE_FIELDS(GpuLimits, model, multiprocessors, sharedPerMultiprocessor, sharedPerBlockOptIn,
                 sharedReservedPerBlock, sharedUnit, registersPerMultiprocessor, registersPerBlock, registersPerThread,
                 registerUnit, warpUnit, threadsPerMultiprocessor, blocksPerMultiprocessor, floatsPerCycle, clockGHz,
                 memoryGBs)
LOOPSCOPE_FIELDS(Target, kind, keys, attrs, hardware, cpu, features, vectorBytes, vectorRegisters, l1Bytes, l2Bytes,
                 l3Bytes, minParallelStores, gpu)
LOOPSCOPE_FIELDS(SetupMessage, task, workload, dagKey, target, layoutRewrite, memoryLimitMiB, kernelThreads, seed,
                 referenceThreads, runner, sampleBlocks)
LOOPSCOPE_FIELDS(ReadyMessage, problem, note)
LOOPSCOPE_FIELDS(BuildRequest, task, steps, fault)
LOOPSCOPE_FIELDS(KernelArg, name, output, dtype, elements, shape, packing, weights)
LOOPSCOPE_FIELDS(GridLaunch, blocks, threads, sharedBytes)
LOOPSCOPE_FIELDS(GlobalBuffer, name, bytes)
LOOPSCOPE_FIELDS(KernelLaunch, kind, entry, args, grids, intermediates, parameters, threads, scratchBytes)
LOOPSCOPE_FIELDS(BuiltKernel, object, launch)
LOOPSCOPE_FIELDS(BuildReply, error, reason, seconds, kernel)
LOOPSCOPE_FIELDS(DisassemblyRequest, steps, maxBytes, fault)
LOOPSCOPE_FIELDS(LinkedText, text, links)
LOOPSCOPE_FIELDS(AssemblySummary, counts, bytes, vectorRegistersUsed, gpRegistersUsed, stackBytes, innermostLoops)
LOOPSCOPE_FIELDS(BusyPort, name, cycles)
LOOPSCOPE_FIELDS(PortPressure, model, modelNote, cycles, instructions, microOps, dispatchWidth, ports, bound, leftOut)
LOOPSCOPE_FIELDS(HotBlock, loop, firstLine, lastLine, programLine, iterations, mix, memoryReads, memoryWrites,
                 spillStores, spillReloads, vectorBits, pressure, pressureProblem)
LOOPSCOPE_FIELDS(CompilerRemark, kind, pass, name, text, programLine, times, ofCopy)
LOOPSCOPE_FIELDS(Disassembly, loops, ir, assembly, summary, hot, hotProblem, remarks, seconds)
LOOPSCOPE_FIELDS(DisassemblyReply, problem, disassembly)
LOOPSCOPE_FIELDS(StandaloneRequest, steps, function, maxBytes, fault)
LOOPSCOPE_FIELDS(StandaloneCode, ir, assembly, object, startsThreads)
LOOPSCOPE_FIELDS(StandaloneReply, problem, code)
LOOPSCOPE_FIELDS(SamplingOptions, minRepeatSeconds, minSamples, maxSamples, maxTimingSeconds, agreement, hopelessFactor,
                 bestKnownSeconds, disturbedSeconds, weightBytes)
LOOPSCOPE_FIELDS(RunRequest, task, kernels, rounds, timeout, sampling, fault, answers)
LOOPSCOPE_FIELDS(RunReply, error, reason, failedKernel, unstable, maxError, seconds, disturbedSeconds, killedOutside,
                 samples, least)

namespace {

template <typename Message> std::string write(const Message &message) {
    WireWriter wire;
    wire.put(Message::kKind);
    sendField(wire, message);
    return wire.bytes();
}

/// A hash over the sizes of the fields, level by level.
class Signature {
  public:
    template <typename T> void add(T &value) {
        if constexpr (HasFields<T>) {
            put('{');
            std::apply([&own = *this](auto &...field) { (own.add(field), ...); }, fieldsOf(value));
            put('}');
        } else if constexpr (requires { typename T::value_type; }) {
            put('[');
            if constexpr (std::is_default_constructible_v<typename T::value_type>) {
                typename T::value_type item{};
                add(item);
            }
            put(']');
        } else {
            put(sizeof(T));
        }
    }
    template <typename... Messages> void addAll() {
        const auto one = [&own = *this](auto message) { own.add(message); };
        (one(Messages{}), ...);
    }
    uint64_t with(uint64_t word) {
        put(word);
        return m_hash;
    }

  private:
    void put(uint64_t word) { m_hash = fnvHash({reinterpret_cast<const char *>(&word), sizeof word}, m_hash); }
    uint64_t m_hash = kFnvStart;
};

/// Setup and Ready: behind the kind stands what all messages are made of.
template <typename Message> std::string writeSigned(const Message &message) {
    WireWriter wire;
    wire.put(Message::kKind);
    wire.put(messagesSignature());
    sendField(wire, message);
    return wire.bytes();
}

template <typename Message> Message readSigned(std::string_view bytes) {
    Message message;
    WireReader wire(bytes);
    if (wire.get<MessageKind>() != Message::kKind) throw WireError();
    if (wire.get<uint64_t>() != messagesSignature()) throw Error(kOtherBuild);
    receiveField(wire, message);
    return message;
}

template <typename Message> Message read(std::string_view bytes) {
    Message message;
    WireReader wire(bytes);
    if (wire.get<MessageKind>() != Message::kKind) throw WireError();
    receiveField(wire, message);
    return message;
}

} // namespace

const char *const kOtherBuild = "this worker is of another build of Loopscope than the program that started it; build "
                                "both together, or name the right one with LOOPSCOPE_WORKER";

uint64_t messagesSignature() {
    static const uint64_t signature = [] {
        Signature all;
        all.addAll<SetupMessage, ReadyMessage, BuildRequest, BuildReply, DisassemblyRequest, DisassemblyReply,
                   StandaloneRequest, StandaloneReply, RunRequest, RunReply>();
        return all.with(buildId());
    }();
    return signature;
}

MessageKind kindOf(std::string_view bytes) { return WireReader(bytes).get<MessageKind>(); }

std::string encode(const SetupMessage &message) { return writeSigned(message); }
std::string encode(const ReadyMessage &message) { return writeSigned(message); }
std::string encode(const BuildRequest &message) { return write(message); }
std::string encode(const BuildReply &message) { return write(message); }
std::string encode(const DisassemblyRequest &message) { return write(message); }
std::string encode(const DisassemblyReply &message) { return write(message); }
std::string encode(const StandaloneRequest &message) { return write(message); }
std::string encode(const StandaloneReply &message) { return write(message); }
std::string encode(const RunRequest &message) { return write(message); }
std::string encode(const RunReply &message) { return write(message); }
SetupMessage decodeSetup(std::string_view bytes) { return readSigned<SetupMessage>(bytes); }
ReadyMessage decodeReady(std::string_view bytes) {
    try {
        return readSigned<ReadyMessage>(bytes);
    } catch (const Error &) {
        return {kOtherBuild, {}};
    } catch (const WireError &) {
        return {kOtherBuild, {}};
    }
}
BuildRequest decodeBuildRequest(std::string_view bytes) { return read<BuildRequest>(bytes); }
BuildReply decodeBuildReply(std::string_view bytes) { return read<BuildReply>(bytes); }
DisassemblyRequest decodeDisassemblyRequest(std::string_view bytes) { return read<DisassemblyRequest>(bytes); }
DisassemblyReply decodeDisassemblyReply(std::string_view bytes) { return read<DisassemblyReply>(bytes); }
StandaloneRequest decodeStandaloneRequest(std::string_view bytes) { return read<StandaloneRequest>(bytes); }
StandaloneReply decodeStandaloneReply(std::string_view bytes) { return read<StandaloneReply>(bytes); }
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
