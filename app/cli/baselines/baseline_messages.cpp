#include "baselines/baseline_messages.h"

#include "isolate/wire.h"

namespace loopscope {

namespace {

constexpr size_t kFileAlign = 4096;

void putProblem(WireWriter &wire, const BaselineProblem &problem) {
    wire.put(static_cast<uint8_t>(problem.index()));
    if (const auto *matmul = std::get_if<MatmulProblem>(&problem)) {
        wire.put(*matmul);
        return;
    }
    if (const auto *softmax = std::get_if<SoftmaxProblem>(&problem)) {
        wire.put(*softmax);
        return;
    }
    if (const auto *norm = std::get_if<NormProblem>(&problem)) {
        wire.put(*norm);
        return;
    }
    const auto &conv = std::get<ConvProblem>(problem);
    const int64_t sizes[] = {conv.batch, conv.inChannels, conv.outChannels, conv.groups};
    wire.put(static_cast<uint8_t>(conv.transposed));
    wire.put(sizes);
    wire.put(conv.axes);
    wire.put(conv.data);
    wire.put(conv.out);
    wire.put(conv.weights);
    wire.put(conv.tail);
}

BaselineProblem takeProblem(WireReader &wire) {
    // The numbers of the alternatives, as putProblem wrote them.
    switch (wire.get<uint8_t>()) {
    case 0:
        return wire.get<MatmulProblem>();
    case 1:
        break;
    case 2:
        return wire.get<SoftmaxProblem>();
    case 3:
        return wire.get<NormProblem>();
    default:
        throw WireError();
    }
    ConvProblem conv;
    conv.transposed = wire.get<uint8_t>() != 0;
    conv.batch = wire.get<int64_t>();
    conv.inChannels = wire.get<int64_t>();
    conv.outChannels = wire.get<int64_t>();
    conv.groups = wire.get<int64_t>();
    wire.get(conv.axes);
    wire.get(conv.data);
    wire.get(conv.out);
    wire.get(conv.weights);
    wire.get(conv.tail);
    return conv;
}

} // namespace

std::string encode(const BaselineRequest &request) {
    WireWriter wire;
    wire.put(request.order);
    wire.put(request.kind);
    wire.put(static_cast<uint8_t>(request.ownChoice));
    putProblem(wire, request.problem);
    wire.put(request.threads);
    wire.put(request.calls);
    return wire.bytes();
}

BaselineRequest decodeBaselineRequest(std::string_view bytes) {
    WireReader wire(bytes);
    BaselineRequest request;
    wire.get(request.order);
    wire.get(request.kind);
    request.ownChoice = wire.get<uint8_t>() != 0;
    request.problem = takeProblem(wire);
    wire.get(request.threads);
    wire.get(request.calls);
    return request;
}

std::string encode(const BaselineReply &reply) {
    WireWriter wire;
    wire.put(reply.refusal);
    wire.put(reply.name);
    wire.put(reply.restSeconds);
    wire.put(reply.implementation);
    wire.put(reply.seconds);
    return wire.bytes();
}

BaselineReply decodeBaselineReply(std::string_view bytes) {
    WireReader wire(bytes);
    BaselineReply reply;
    wire.get(reply.refusal);
    wire.get(reply.name);
    wire.get(reply.restSeconds);
    wire.get(reply.implementation);
    wire.get(reply.seconds);
    return reply;
}

BaselineFile::BaselineFile(const BaselineProblem &problem) {
    const BaselineSizes sizes = bufferSizes(problem);
    const BaselineTail tail = std::visit(
        [](const auto &known) {
            if constexpr (requires { known.tail; })
                return known.tail;
            else
                return BaselineTail();
        },
        problem);
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
    place(out, sizes.out);
}

} // namespace loopscope
