#include "codegen/nvidia/nvrtc_worker.h"

#include "base/fields.h"
#include "base/isolate/channel.h"
#include "base/isolate/field_wire.h"
#include "base/isolate/sandbox.h"

namespace loopscope {

LOOPSCOPE_FIELDS(NvrtcRequest, library, source, architecture, debugLines)
LOOPSCOPE_FIELDS(NvrtcReply, kind, ptx, log, problem, architectures)

namespace {

constexpr int kNvrtcChannel = 3; // where ChildProcess puts the worker's end

} // namespace

std::string encode(const NvrtcRequest &request) { return encodeFields(request); }
std::string encode(const NvrtcReply &reply) { return encodeFields(reply); }
NvrtcRequest decodeNvrtcRequest(std::string_view bytes) { return decodeFields<NvrtcRequest>(bytes); }
NvrtcReply decodeNvrtcReply(std::string_view bytes) { return decodeFields<NvrtcReply>(bytes); }

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
