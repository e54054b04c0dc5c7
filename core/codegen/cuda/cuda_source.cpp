#include "codegen/cuda/cuda_source.h"

#include "codegen/cuda/cuda_dialect.h"
#include "codegen/cuda/kernel_text.h"
#include "codegen/cuda/launcher_text.h"
#include "codegen/loop_ir/walk.h"

#include <fmt/format.h>
#include <optional>
#include <sstream>

namespace loopscope {

namespace {

std::string_view statementName(StmtKind kind) {
    switch (kind) {
    case StmtKind::Store:
        return "a store";
    case StmtKind::For:
        return "a loop";
    case StmtKind::If:
        return "a condition";
    case StmtKind::Barrier:
        return "a barrier";
    default:
        return "a statement";
    }
}

/// What stands where no kernel has a place for it, in the words of the user.
class PlaceCheck {
  public:
    explicit PlaceCheck(const std::map<int, int> &lineOf) : m_lineOf(lineOf) {}

    std::optional<Refusal> check(Stmt stmt, bool insideKernel) {
        const int line = m_lineOf.at(stmt->id);
        const bool bound =
            stmt->kind == StmtKind::For && stmt->loop >= LoopKind::BlockX && stmt->loop <= LoopKind::ThreadZ;
        const bool holds = stmt->kind == StmtKind::Block || stmt->kind == StmtKind::Allocate;
        if (!insideKernel && !bound && !holds)
            return Refusal{fmt::format("line {} of the loop program is {} outside of every kernel; only loops bound to "
                                       "blocks or threads may stand there",
                                       line, statementName(stmt->kind))};
        if (stmt->kind == StmtKind::Allocate) {
            const MemoryScope scope = stmt->buffer->scope;
            const bool global = scope == MemoryScope::Heap || scope == MemoryScope::Argument;
            if (insideKernel && (global || scope == MemoryScope::Stack))
                return Refusal{fmt::format("line {} of the loop program allocates {} inside a kernel in memory that "
                                           "a kernel cannot allocate; shared and local memory are legal",
                                           line, stmt->buffer->name)};
            if (!insideKernel && scope != MemoryScope::Heap)
                return Refusal{fmt::format("line {} of the loop program allocates {} outside of every kernel in memory "
                                           "of a block or thread; global memory is legal",
                                           line, stmt->buffer->name)};
        }
        for (const Stmt child : stmt->body())
            if (auto refused = check(child, insideKernel || bound)) return refused;
        return std::nullopt;
    }

  private:
    const std::map<int, int> &m_lineOf;
};

} // namespace

Outcome<CudaSource> emitCuda(const LoopProgram &program, const Target &target) {
    if (!target.isGpu())
        return Refusal{"CUDA is written for GPUs (cuda targets), and this target is a processor: C is legal"};
    const Outcome<KernelLaunch> launch = describeLaunch(program, TargetKind::Cuda, program.name);
    if (!launch) return launch.refusal();
    std::map<int, int> lineOf;
    printProgram(program, &lineOf);
    if (auto refused = PlaceCheck(lineOf).check(program.root, false)) return *std::move(refused);

    CNames names(cudaDialect());
    names.unique(program.name);
    CExprWriter expr(names, CFloats::AsTyped, cudaDialect());
    const std::vector<GpuKernel> kernels = gpuKernelsOf(program);
    for (const GpuKernel &kernel : kernels) names.unique(kernel.name);
    for (const ProgramArg &arg : program.args) (void)expr.nameOf(*arg.buffer);
    for (const Buffer *buffer : heapBuffersOf(program)) (void)expr.nameOf(*buffer);

    CudaSource source;
    TextLines body;
    CudaText text{names, expr, body, lineOf};
    for (const GpuKernel &kernel : kernels) {
        writeKernel(text, kernel);
        body.blank();
        CudaKernel &described = source.kernels.emplace_back();
        described.name = kernel.name;
        described.launch = kernel.launch;
        described.dynamicSharedBytes = kernel.asksForShared() ? kernel.shared.bytes : 0;
        for (const KernelParameter &parameter : kernel.parameters)
            described.parameters.push_back(parameter.buffer->name);
    }
    writeLauncher(text, program, kernels, source.kernels);

    TextLines all;
    const std::vector<std::string> helpers = expr.helpers();
    for (const std::string &helper : helpers) {
        std::istringstream rows(helper); // of several lines where the compiler has a choice
        for (std::string row; std::getline(rows, row);) all.line(row);
    }
    if (!helpers.empty()) all.blank();
    for (const std::string &row : expr.tables()) all.line(row);
    if (!expr.tables().empty()) all.blank();
    for (const ProgramArg &arg : program.args)
        if (!arg.packing.empty()) all.line(packingComment(arg));
    all.append(body);
    source.code = all.finished();
    return source;
}

} // namespace loopscope
