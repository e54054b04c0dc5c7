#include "measure/fleet/messages.h"

#include "base/isolate/field_wire.h"
#include "base/json_text.h"
#include "measure/messages.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace loopscope {

LOOPSCOPE_FIELDS(SamplingOptions, minRepeatSeconds, minSamples, maxSamples, maxTimingSeconds, agreement, hopelessFactor,
                 bestKnownSeconds, disturbedSeconds, weightBytes)
LOOPSCOPE_FIELDS(FleetTask, task, setup, buildTimeout, runTimeout, referenceTimeout, memoryLimitMiB, seed,
                 kernelThreads, sampling)
LOOPSCOPE_FIELDS(FleetReady, task, problem, tooLong, notes)
LOOPSCOPE_FIELDS(FleetMeasure, batch, task, steps)
LOOPSCOPE_FIELDS(FleetStage, batch, index, stage)
LOOPSCOPE_FIELDS(FleetTrial, batch, index, reason, seconds, error, unstable, maxError, buildSeconds, runSeconds,
                 timestamp, weightBytes)
LOOPSCOPE_FIELDS(FleetMeasureEnd, batch, problem, waited)
LOOPSCOPE_FIELDS(FleetInterleave, batch, task, rounds, steps)
LOOPSCOPE_FIELDS(FleetSamples, batch, problem, samples, least)
LOOPSCOPE_FIELDS(FleetReference, seconds)
LOOPSCOPE_FIELDS(FleetCancel, batches)

namespace {

constexpr int kFleetVersion = 4; // of what the messages mean

} // namespace

std::string fleetBuild() { return fmt::format("{}-{:016x}", kFleetVersion, messagesSignature()); }

std::string helloText(const NodeHello &hello) {
    return nlohmann::json{{"loopscope", "worker"},
                          {"build", hello.build},
                          {"host", hello.host},
                          {"model", hello.model},
                          {"target", hello.target},
                          {"cpu", hello.cpu},
                          {"vector_bytes", hello.vectorBytes},
                          {"cores", hello.cores}}
        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Outcome<NodeHello> helloFromText(std::string_view text) {
    const auto document = jsonIn(text);
    if (!document) return Refusal{"it does not say what it is, as workers of Loopscope do"};
    const JsonPart json(*document);
    NodeHello hello;
    try {
        if (json.at("loopscope").get<std::string>() != "worker") return Refusal{"it is no worker of Loopscope"};
        json.at("build").get_to(hello.build);
        json.at("host").get_to(hello.host);
        json.at("model").get_to(hello.model);
        json.at("target").get_to(hello.target);
        json.at("cpu").get_to(hello.cpu);
        json.at("vector_bytes").get_to(hello.vectorBytes);
        json.at("cores").get_to(hello.cores);
    } catch (const Error &) {
        return Refusal{"it does not say what it is, as workers of Loopscope do"};
    }
    return hello;
}

FleetMessage fleetMessageOf(std::string_view bytes) {
    WireReader wire(bytes);
    const auto kind = wire.get<FleetMessage>();
    if (kind > FleetMessage::Cancel) throw WireError();
    return kind;
}

FleetTask fleetTask(int number, const Task &task, const MeasureOptions &options) {
    FleetTask message;
    message.task = number;
    message.setup = encode(makeSetup(task));
    message.buildTimeout = options.buildTimeout;
    message.runTimeout = options.runTimeout;
    message.referenceTimeout = options.referenceTimeout;
    message.memoryLimitMiB = options.memoryLimitMiB;
    message.seed = options.seed;
    message.kernelThreads =
        options.kernelThreads > 0 ? options.kernelThreads : std::max(1, task.target.hardware.numCores);
    message.sampling = options.sampling;
    return message;
}

FleetTrial fleetTrial(uint64_t batch, uint64_t index, const Trial &trial) {
    return {batch,
            index,
            trial.reason,
            trial.seconds,
            trial.error,
            trial.unstable,
            trial.maxError,
            trial.buildSeconds,
            trial.runSeconds,
            trial.timestamp,
            trial.weightBytes};
}

Trial trialOf(const FleetTrial &message, const Steps &steps) {
    if (message.error > TrialError::Unknown) throw WireError();
    Trial trial;
    trial.steps = steps;
    trial.reason = message.reason;
    trial.seconds = message.seconds;
    trial.error = message.error;
    trial.unstable = message.unstable;
    trial.maxError = message.maxError;
    trial.buildSeconds = message.buildSeconds;
    trial.runSeconds = message.runSeconds;
    trial.timestamp = message.timestamp;
    trial.weightBytes = message.weightBytes;
    return trial;
}

template <typename Message> std::string encodeFleet(const Message &message) {
    WireWriter wire;
    wire.put(Message::kKind);
    sendField(wire, message);
    return wire.bytes();
}

template <typename Message> Message decodeFleet(std::string_view bytes) {
    Message message;
    WireReader wire(bytes);
    if (wire.get<FleetMessage>() != Message::kKind) throw WireError();
    receiveField(wire, message);
    return message;
}

#define LOOPSCOPE_FLEET_MESSAGE(Message)                                                                               \
    template std::string encodeFleet(const Message &);                                                                 \
    template Message decodeFleet(std::string_view);
LOOPSCOPE_FLEET_MESSAGE(FleetTask)
LOOPSCOPE_FLEET_MESSAGE(FleetReady)
LOOPSCOPE_FLEET_MESSAGE(FleetMeasure)
LOOPSCOPE_FLEET_MESSAGE(FleetStage)
LOOPSCOPE_FLEET_MESSAGE(FleetTrial)
LOOPSCOPE_FLEET_MESSAGE(FleetMeasureEnd)
LOOPSCOPE_FLEET_MESSAGE(FleetInterleave)
LOOPSCOPE_FLEET_MESSAGE(FleetSamples)
LOOPSCOPE_FLEET_MESSAGE(FleetReference)
LOOPSCOPE_FLEET_MESSAGE(FleetCancel)
#undef LOOPSCOPE_FLEET_MESSAGE

} // namespace loopscope
