#pragma once
// CUDA C++ -> PTX by NVRTC, in a worker process that is started again when a text has taken it down.

#include "base/outcome.h"
#include "codegen/nvidia/nvidia_tools.h"

#include <memory>
#include <string>
#include <vector>

namespace loopscope {

struct CompiledCuda {
    std::string ptx;
    std::string compiler; // "NVRTC 13.5"
    std::string log;      // warnings
};

struct CudaCompilerOptions {
    std::string workerPath;  // as in MeasureOptions
    double timeout = 120;    // seconds for one text
    bool debugLines = false; // PTX tells of each instruction the line of the text it comes from
};

class CudaCompiler {
  public:
    explicit CudaCompiler(const NvidiaTools &tools = foundNvidiaTools(), CudaCompilerOptions options = {});
    ~CudaCompiler();
    CudaCompiler(const CudaCompiler &) = delete;
    CudaCompiler &operator=(const CudaCompiler &) = delete;

    /// By the newest NVRTC that knows the architecture ("sm_80"). Refused in one sentence when there is none (with the
    /// architectures that are legal), when the text does not compile (with the first error), and when the compiler
    /// crashes or comes to no end.
    Outcome<CompiledCuda> toPtx(const std::string &source, const std::string &architecture);

  private:
    struct Worker;
    const NvidiaTools &m_tools;
    CudaCompilerOptions m_options;
    std::unique_ptr<Worker> m_worker;
};

/// "sm_75, sm_80 and sm_86"
std::string listed(const std::vector<std::string> &words);

} // namespace loopscope
