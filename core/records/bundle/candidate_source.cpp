#include "records/bundle/candidate_source.h"

#include "base/check.h"
#include "codegen/cuda/cuda_source.h"
#include "codegen/kernel_code.h"
#include "codegen/kernel_limits/kernel_limits.h"
#include "codegen/kernel_parameters.h"
#include "codegen/lower/lower.h"
#include "schedule/loop_state.h"

#include <algorithm>
#include <exception>
#include <fmt/format.h>

namespace loopscope {

namespace {

using CallJson = nlohmann::ordered_json;

CallJson packingOf(const KernelLaunch &launch) {
    CallJson all = CallJson::array();
    for (const KernelArg &arg : launch.args) {
        CallJson dims = CallJson::array();
        for (const PackedDim &dim : arg.packing) dims.push_back(CallJson::array({dim.origin, dim.stride, dim.extent}));
        all.push_back(std::move(dims));
    }
    return all;
}

/// What the runner calls: all arguments behind one pointer, whatever their types.
std::string wrapperText(const KernelLaunch &launch) {
    std::string text = fmt::format("\nvoid {0}_call(void *const *arguments) {{ {0}(", launch.entry);
    for (size_t i = 0; i < launch.args.size(); ++i) text += fmt::format("{}arguments[{}]", i > 0 ? ", " : "", i);
    return text + "); }\n";
}

/// Buffers a kernel is handed, as numbers: first the arguments, then what lies between kernels.
CallJson kernelsOf(const LoopProgram &program, const CudaSource &source) {
    const std::vector<const Buffer *> between = heapBuffersOf(program);
    const std::vector<GpuKernel> kernels = gpuKernelsOf(program);
    LOOPSCOPE_CHECK(kernels.size() == source.kernels.size(), "the text has the kernels of the program");
    CallJson all = CallJson::array();
    for (size_t k = 0; k < kernels.size(); ++k) {
        CallJson parameters = CallJson::array();
        for (const KernelParameter &parameter : kernels[k].parameters) {
            const auto found = std::ranges::find(between, parameter.buffer);
            parameters.push_back(found == between.end()
                                     ? static_cast<size_t>(parameter.buffer->argIndex)
                                     : program.args.size() + static_cast<size_t>(found - between.begin()));
        }
        const CudaKernel &kernel = source.kernels[k];
        all.push_back({{"name", kernel.name},
                       {"blocks", kernel.launch.blocks},
                       {"threads", kernel.launch.threads},
                       {"shared", kernel.dynamicSharedBytes},
                       {"parameters", std::move(parameters)}});
    }
    return all;
}

CandidateSource failed(TrialError error, const std::string &reason) { return {{}, {}, error, reason}; }

CandidateSource sourceOf(const Task &task, const Steps &steps, const std::string &name) {
    const Outcome<LoopState> state = replay(task.dag, steps);
    if (!state) return failed(TrialError::Instantiation, state.why());
    LowerOptions options;
    options.layoutRewrite = static_cast<int>(task.layoutRewrite);
    Outcome<LoopProgram> program = lower(*state, task.target, options);
    if (!program) return failed(TrialError::Instantiation, program.why());
    program->name = name;
    if (task.target.isGpu())
        if (const auto exceeded = exceededLimit(*program, task.target))
            return failed(TrialError::Instantiation, exceeded->sentence);
    const Outcome<KernelLaunch> launch = describeLaunch(*program, task.target.kind, name);
    if (!launch) return failed(TrialError::Instantiation, launch.why());
    CandidateSource source;
    source.call["packing"] = packingOf(*launch);
    if (!task.target.isGpu()) {
        source.text = emitC(*program, task.target).text + wrapperText(*launch);
        source.call["entry"] = name + "_call";
        return source;
    }
    const Outcome<CudaSource> cuda = emitCuda(*program, task.target);
    if (!cuda) return failed(TrialError::CompileDevice, cuda.why());
    source.text = cuda->code.text;
    source.call["kernels"] = kernelsOf(*program, *cuda);
    source.call["temporaries"] = CallJson::array();
    for (const Buffer *buffer : heapBuffersOf(*program))
        source.call["temporaries"].push_back(buffer->elements() * dtypeBytes(buffer->dtype));
    return source;
}

} // namespace

CandidateSource candidateSource(const Task &task, const Steps &steps, const std::string &name) {
    try {
        return sourceOf(task, steps, name);
    } catch (const std::exception &problem) {
        return failed(TrialError::Instantiation, problem.what());
    }
}

} // namespace loopscope
