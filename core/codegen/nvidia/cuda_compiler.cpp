#include "codegen/nvidia/cuda_compiler.h"

#include "base/isolate/child_process.h"
#include "base/isolate/wire.h"
#include "codegen/nvidia/nvrtc_worker.h"

#include <fmt/format.h>
#include <set>
#include <utility>

namespace loopscope {

struct CudaCompiler::Worker {
    explicit Worker(const std::string &path) : child(spawner, workerProgram(path), "nvrtc") {}
    SpawnThread spawner;
    ChildProcess child;
};

CudaCompiler::CudaCompiler(const NvidiaTools &tools, CudaCompilerOptions options)
    : m_tools(tools), m_options(std::move(options)) {}

CudaCompiler::~CudaCompiler() = default;

std::string listed(const std::vector<std::string> &words) {
    std::string text;
    for (size_t i = 0; i < words.size(); ++i) text += (i == 0 ? "" : i + 1 < words.size() ? ", " : " and ") + words[i];
    return text;
}

Outcome<CompiledCuda> CudaCompiler::toPtx(const std::string &source, const std::string &architecture) {
    if (m_tools.nvrtc.empty()) return Refusal{missingTool("NVRTC, the compiler of CUDA C++,")};
    std::set<int> known;
    try {
        for (const NvidiaTool &nvrtc : m_tools.nvrtc) {
            if (!m_worker) m_worker = std::make_unique<Worker>(m_options.workerPath);
            ChildProcess &child = m_worker->child;
            std::string message;
            auto wait = ChildProcess::Wait::Ended;
            if (child.channel().send(encode(NvrtcRequest{nvrtc.path, source, architecture, m_options.debugLines})))
                wait = child.waitForMessage(message, m_options.timeout, nullptr);
            if (wait != ChildProcess::Wait::Message) {
                std::string why = fmt::format("NVRTC came to no end within {:g} s", m_options.timeout);
                if (wait == ChildProcess::Wait::Ended) why = "NVRTC " + child.howItEnded() + child.startAdvice();
                m_worker.reset();
                return Refusal{std::move(why)};
            }
            NvrtcReply reply = decodeNvrtcReply(message);
            const std::string compiler = "NVRTC " + versionText(nvrtc.version);
            switch (reply.kind) {
            case NvrtcReply::Kind::Compiled:
                return CompiledCuda{std::move(reply.ptx), compiler, std::move(reply.log)};
            case NvrtcReply::Kind::Failed:
                return Refusal{compiler + " does not compile the text: " + reply.problem};
            case NvrtcReply::Kind::UnknownArchitecture:
                known.insert(reply.architectures.begin(), reply.architectures.end());
            }
        }
    } catch (const Error &problem) {
        m_worker.reset();
        return Refusal{problem.what()};
    } catch (const WireError &problem) {
        m_worker.reset();
        return Refusal{problem.what()};
    }
    std::vector<std::string> names;
    for (const int number : known) names.push_back("sm_" + std::to_string(number));
    return Refusal{fmt::format("no NVRTC found here compiles for {}; {} are legal, and another version of the toolkit "
                               "may know it",
                               architecture, listed(names))};
}

} // namespace loopscope
