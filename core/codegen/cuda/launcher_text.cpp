#include "codegen/cuda/launcher_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace loopscope {

void writeLauncher(CudaText &text, const LoopProgram &program, const std::vector<GpuKernel> &kernels,
                   const std::vector<CudaKernel> &described) {
    TextLines &lines = text.lines;
    CExprWriter &expr = text.expr;
    std::vector<ProgramArg> args(program.args);
    std::ranges::stable_sort(args, {}, [](const ProgramArg &arg) { return arg.buffer->argIndex; });
    std::string parameters;
    for (const ProgramArg &arg : args)
        parameters += fmt::format("{}{} *{}, ", arg.output ? "" : "const ", expr.storageType(*arg.buffer),
                                  expr.nameOf(*arg.buffer));
    lines.line("#ifndef __CUDACC_RTC__ // the host's part");
    lines.line("#include <cuda_runtime.h>");
    lines.blank();
    lines.line("// Launches the kernels. The pointers are to memory of the device.");
    lines.line(fmt::format("extern \"C\" cudaError_t {}({}cudaStream_t stream) {{", program.name, parameters), 1);
    lines.deeper();
    lines.line("cudaError_t status = cudaSuccess;");
    const std::vector<const Buffer *> between = heapBuffersOf(program);
    for (const Buffer *buffer : between) {
        const std::string &name = expr.nameOf(*buffer);
        lines.line(fmt::format("{} *{} = 0;", expr.storageType(*buffer), name));
        lines.line(fmt::format("if (status == cudaSuccess) status = cudaMalloc((void **)&{}, {});", name,
                               buffer->elements() * dtypeBytes(buffer->dtype)));
    }
    for (size_t i = 0; i < kernels.size(); ++i) {
        const CudaKernel &kernel = described[i];
        const int64_t dynamic = kernel.dynamicSharedBytes;
        const int root = text.at(kernels[i].root);
        if (dynamic > 0)
            lines.line(fmt::format("if (status == cudaSuccess) status = cudaFuncSetAttribute({}, "
                                   "cudaFuncAttributeMaxDynamicSharedMemorySize, {});",
                                   kernel.name, dynamic),
                       root);
        std::vector<std::string> handed;
        for (const KernelParameter &parameter : kernels[i].parameters) handed.push_back(expr.nameOf(*parameter.buffer));
        lines.line("if (status == cudaSuccess) {");
        lines.deeper();
        lines.line(fmt::format("{}<<<dim3({}), dim3({}), {}, stream>>>({});", kernel.name,
                               fmt::join(kernel.launch.blocks, ", "), fmt::join(kernel.launch.threads, ", "), dynamic,
                               fmt::join(handed, ", ")),
                   root);
        lines.line("status = cudaGetLastError();");
        lines.back();
        lines.line("}");
    }
    for (const Buffer *buffer : between)
        lines.line(fmt::format("cudaFree({}); // waits for the kernels", expr.nameOf(*buffer)));
    lines.line("return status;");
    lines.back();
    lines.line("}");
    lines.line("#endif");
}

} // namespace loopscope
