#pragma once
// NVRTC, NVIDIA's compiler of CUDA C++ as a library, opened at run time. It may crash or take forever, so it is used in
// a worker process only (nvrtc_worker.h); others ask CudaCompiler. Internal to nvidia.

#include <cstdint>
#include <string>
#include <vector>

namespace loopscope {

struct NvrtcRequest {
    std::string library; // path
    std::string source;
    std::string architecture; // "sm_80": the text is compiled to PTX for its virtual architecture
    bool debugLines = false;
};

struct NvrtcReply {
    enum class Kind : uint8_t { Compiled, UnknownArchitecture, Failed } kind = Kind::Failed;
    std::string ptx;
    std::string log;                // of the compiler
    std::string problem;            // Failed: one line
    std::vector<int> architectures; // it knows: 75, 80, ...
};

NvrtcReply compileByNvrtc(const NvrtcRequest &request);

} // namespace loopscope
