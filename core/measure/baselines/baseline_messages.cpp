#include "measure/baselines/baseline_messages.h"

#include "base/isolate/field_wire.h"

namespace loopscope {

namespace {

constexpr size_t kFileAlign = 4096;

} // namespace

// What is sent, each list once (base/isolate/field_wire.h). The other problems travel as they lie in memory.
LOOPSCOPE_FIELDS(ConvProblem, transposed, batch, inChannels, outChannels, groups, axes, data, out, weights, tail)
LOOPSCOPE_FIELDS(BaselineRequest, order, kind, ownChoice, problem, threads, calls)
LOOPSCOPE_FIELDS(BaselineReply, refusal, name, restSeconds, implementation, seconds)

void sendField(WireWriter &wire, const BaselineProblem &problem) {
    wire.put(static_cast<uint8_t>(problem.index()));
    std::visit([&](const auto &known) { sendField(wire, known); }, problem);
}

template <size_t I = 0> void receiveAlternative(WireReader &wire, size_t index, BaselineProblem &problem) {
    if constexpr (I < std::variant_size_v<BaselineProblem>) {
        if (index == I)
            receiveField(wire, problem.emplace<I>());
        else
            receiveAlternative<I + 1>(wire, index, problem);
    } else {
        throw WireError();
    }
}
void receiveField(WireReader &wire, BaselineProblem &problem) {
    receiveAlternative(wire, wire.get<uint8_t>(), problem);
}

namespace {

template <typename Message> std::string written(const Message &message) {
    WireWriter wire;
    sendField(wire, message);
    return wire.bytes();
}

template <typename Message> Message taken(std::string_view bytes) {
    Message message;
    WireReader wire(bytes);
    receiveField(wire, message);
    return message;
}

} // namespace

std::string encode(const BaselineRequest &request) { return written(request); }
std::string encode(const BaselineReply &reply) { return written(reply); }
BaselineRequest decodeBaselineRequest(std::string_view bytes) { return taken<BaselineRequest>(bytes); }
BaselineReply decodeBaselineReply(std::string_view bytes) { return taken<BaselineReply>(bytes); }

BaselineFile::BaselineFile(const BaselineProblem &problem) {
    const BaselineSizes sizes = bufferSizes(problem);
    const BaselineTail tail = tailOf(problem);
    const auto place = [this](Place &to, size_t elements) {
        to.offset = bytes;
        to.bytes = elements * sizeof(float);
        bytes += (to.bytes + kFileAlign - 1) / kFileAlign * kFileAlign;
    };
    place(data, sizes.data);
    place(weights, sizes.weights);
    place(bias, tail.bias ? sizes.channels : 0);
    place(scale, tail.scale ? sizes.channels : 0);
    place(offset, tail.offset ? sizes.channels : 0);
    place(residual, tail.residual ? sizes.out : 0);
    place(out, sizes.out);
}

} // namespace loopscope
