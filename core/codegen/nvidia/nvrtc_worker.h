#pragma once
// The role `nvrtc` of loopscope-worker: compiles CUDA C++ for whoever holds the other end of its channel, text after
// text.

#include "codegen/nvidia/nvrtc_library.h"

#include <string>
#include <string_view>

namespace loopscope {

/// Ends when the channel is closed; returns the exit code.
int serveNvrtc();

std::string encode(const NvrtcRequest &request);
std::string encode(const NvrtcReply &reply);
NvrtcRequest decodeNvrtcRequest(std::string_view bytes); // throws WireError, as the next
NvrtcReply decodeNvrtcReply(std::string_view bytes);

} // namespace loopscope
