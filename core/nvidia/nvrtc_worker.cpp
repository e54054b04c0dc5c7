#include "nvidia/nvrtc_worker.h"

#include "fields.h"
#include "isolate/channel.h"
#include "isolate/field_wire.h"
#include "isolate/sandbox.h"

namespace loopscope {

LOOPSCOPE_FIELDS(NvrtcRequest, library, source, architecture, debugLines)
LOOPSCOPE_FIELDS(NvrtcReply, kind, ptx, log, problem, architectures)

namespace {

constexpr int kNvrtcChannel = 3; // where ChildProcess puts the worker's end

template <typename Message> std::string encodedNvrtc(const Message &message) {
    WireWriter wire;
    sendField(wire, message);
    return wire.bytes();
}

template <typename Message> Message decodedNvrtc(std::string_view bytes) {
    WireReader wire(bytes);
    Message message;
    receiveField(wire, message);
    return message;
}

} // namespace

std::string encode(const NvrtcRequest &request) { return encodedNvrtc(request); }
std::string encode(const NvrtcReply &reply) { return encodedNvrtc(reply); }
NvrtcRequest decodeNvrtcRequest(std::string_view bytes) { return decodedNvrtc<NvrtcRequest>(bytes); }
NvrtcReply decodeNvrtcReply(std::string_view bytes) { return decodedNvrtc<NvrtcReply>(bytes); }

int serveNvrtc() {
    restrictProcess(0);
    Channel channel(kNvrtcChannel);
    try {
        while (const auto bytes = channel.receive()) channel.send(encode(compileByNvrtc(decodeNvrtcRequest(*bytes))));
    } catch (const std::exception &problem) {
        NvrtcReply reply;
        reply.problem = problem.what();
        channel.send(encode(reply));
        return 1;
    }
    return 0;
}

} // namespace loopscope
