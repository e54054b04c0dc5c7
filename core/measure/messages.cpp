#include "measure/messages.h"

#include "check.h"
#include "measure/wire.h"
#include "te/workload.h"

namespace loopscope {

namespace {

// One function walks the fields of a message; writing and reading are the same walk, so that they cannot disagree.
template <typename Wire, typename T> void field(Wire &wire, T &value) {
    if constexpr (std::is_same_v<Wire, WireWriter>) {
        wire.put(value);
    } else {
        wire.get(value);
    }
}

template <typename Wire, typename T, typename Walk> void list(Wire &wire, std::vector<T> &values, Walk walkOne) {
    uint64_t count = values.size();
    field(wire, count);
    if constexpr (std::is_same_v<Wire, WireReader>) {
        if (count > 1'000'000) throw WireError();
        values.resize(count);
    }
    for (T &value : values) walkOne(wire, value);
}

template <typename Wire> void walk(Wire &wire, Target &target) {
    field(wire, target.kind);
    field(wire, target.keys);
    std::vector<std::pair<std::string, std::string>> attrs(target.attrs.begin(), target.attrs.end());
    list(wire, attrs, [](Wire &inner, auto &attr) {
        field(inner, attr.first);
        field(inner, attr.second);
    });
    target.attrs = {attrs.begin(), attrs.end()};
    field(wire, target.hardware);
    field(wire, target.cpu);
    field(wire, target.features);
    field(wire, target.vectorBytes);
    field(wire, target.vectorRegisters);
    field(wire, target.l1Bytes);
    field(wire, target.l2Bytes);
    field(wire, target.l3Bytes);
}

template <typename Wire> void walk(Wire &wire, SetupMessage &message) {
    field(wire, message.workload);
    field(wire, message.dagKey);
    walk(wire, message.target);
    field(wire, message.layoutRewrite);
    field(wire, message.memoryLimitMiB);
    field(wire, message.kernelThreads);
    field(wire, message.seed);
    field(wire, message.referenceThreads);
}

template <typename Wire> void walk(Wire &wire, ReadyMessage &message) { field(wire, message.problem); }

template <typename Wire> void walk(Wire &wire, BuildRequest &message) {
    field(wire, message.steps);
    field(wire, message.fault);
}

template <typename Wire> void walk(Wire &wire, BuiltKernel &kernel) {
    field(wire, kernel.object);
    list(wire, kernel.args, [](Wire &inner, KernelArg &arg) {
        field(inner, arg.name);
        field(inner, arg.output);
        field(inner, arg.dtype);
        field(inner, arg.elements);
        field(inner, arg.shape);
        field(inner, arg.packing);
    });
}

template <typename Wire> void walk(Wire &wire, BuildReply &message) {
    field(wire, message.error);
    field(wire, message.reason);
    field(wire, message.seconds);
    walk(wire, message.kernel);
}

template <typename Wire> void walk(Wire &wire, ListingRequest &message) {
    field(wire, message.steps);
    field(wire, message.maxBytes);
    field(wire, message.fault);
}

template <typename Wire> void walk(Wire &wire, LinkedText &code) {
    field(wire, code.text);
    field(wire, code.links);
}

template <typename Wire> void walk(Wire &wire, AssemblySummary &summary) {
    field(wire, summary.counts);
    field(wire, summary.bytes);
    field(wire, summary.vectorRegistersUsed);
    field(wire, summary.gpRegistersUsed);
    field(wire, summary.stackBytes);
    field(wire, summary.innermostLoops);
}

template <typename Wire> void walk(Wire &wire, ListingReply &message) {
    field(wire, message.problem);
    field(wire, message.listing.loops);
    walk(wire, message.listing.ir);
    walk(wire, message.listing.assembly);
    walk(wire, message.listing.summary);
    field(wire, message.listing.seconds);
}

template <typename Wire> void walk(Wire &wire, RunRequest &message) {
    list(wire, message.kernels, [](Wire &inner, BuiltKernel &kernel) { walk(inner, kernel); });
    field(wire, message.rounds);
    field(wire, message.timeout);
    field(wire, message.minRepeatSeconds);
    field(wire, message.minSamples);
    field(wire, message.maxSamples);
    field(wire, message.maxTimingSeconds);
    field(wire, message.agreement);
    field(wire, message.bestKnownSeconds);
    field(wire, message.fault);
}

template <typename Wire> void walk(Wire &wire, RunReply &message) {
    field(wire, message.error);
    field(wire, message.reason);
    field(wire, message.failedKernel);
    field(wire, message.unstable);
    field(wire, message.maxError);
    field(wire, message.seconds);
    list(wire, message.samples, [](Wire &inner, std::vector<double> &samples) { field(inner, samples); });
}

template <typename Message> std::string write(const Message &message) {
    WireWriter wire;
    walk(wire, const_cast<Message &>(message)); // a writer's walk changes nothing
    return wire.bytes();
}

template <typename Message> Message read(std::string_view bytes) {
    Message message;
    WireReader wire(bytes);
    walk(wire, message);
    return message;
}

} // namespace

std::string encode(const SetupMessage &message) { return write(message); }
std::string encode(const ReadyMessage &message) { return write(message); }
std::string encode(const BuildRequest &message) { return write(message); }
std::string encode(const BuildReply &message) { return write(message); }
std::string encode(const ListingRequest &message) { return write(message); }
std::string encode(const ListingReply &message) { return write(message); }
std::string encode(const RunRequest &message) { return write(message); }
std::string encode(const RunReply &message) { return write(message); }
SetupMessage decodeSetup(std::string_view bytes) { return read<SetupMessage>(bytes); }
ReadyMessage decodeReady(std::string_view bytes) { return read<ReadyMessage>(bytes); }
BuildRequest decodeBuildRequest(std::string_view bytes) { return read<BuildRequest>(bytes); }
BuildReply decodeBuildReply(std::string_view bytes) { return read<BuildReply>(bytes); }
ListingRequest decodeListingRequest(std::string_view bytes) { return read<ListingRequest>(bytes); }
ListingReply decodeListingReply(std::string_view bytes) { return read<ListingReply>(bytes); }
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
