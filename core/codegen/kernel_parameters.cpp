#include "codegen/kernel_parameters.h"

#include "base/check.h"
#include "codegen/loop_ir/walk.h"
#include "language/expr/walk.h"

#include <algorithm>
#include <map>
#include <utility>

namespace loopscope {

namespace {

bool isBoundLoop(Stmt stmt) {
    return stmt->kind == StmtKind::For && stmt->loop >= LoopKind::BlockX && stmt->loop <= LoopKind::ThreadZ;
}

struct Use {
    bool read = false;
    bool written = false;
};
using Uses = std::map<const Buffer *, Use>; // only looked up: its order depends on addresses

Uses usesIn(Stmt root) {
    Uses uses;
    forEachStmt(root, [&](Stmt s) {
        if (s->kind == StmtKind::Store) uses[s->buffer].written = true;
        forEachOwnExpr(s, [&](Expr own) {
            postOrder(own, [&](Expr e) {
                if (e->kind == ExprKind::Load) uses[static_cast<const Buffer *>(e->symbol)].read = true;
            });
        });
    });
    return uses;
}

/// Steps inside as long as everything there belongs to the kernel, not to one thread.
void enterThread(GpuKernel &kernel) {
    Stmt at = kernel.root;
    for (;;) {
        const bool bound = isBoundLoop(at);
        const bool shared = at->kind == StmtKind::Allocate && at->buffer->scope == MemoryScope::Shared;
        if (bound) kernel.bound.push_back({at->loop, at});
        if (shared) kernel.sharedBuffers.push_back(at->buffer);
        if (!bound && !shared) break;
        at = at->children[0];
    }
    kernel.body = at;
}

class KernelsOfProgram {
  public:
    explicit KernelsOfProgram(const LoopProgram &program) : m_heap(heapBuffersOf(program)) {
        for (const ProgramArg &arg : program.args) m_args.push_back(arg.buffer);
        std::ranges::sort(m_args, {}, [](const Buffer *buffer) { return buffer->argIndex; });
    }

    void visit(Stmt stmt) {
        if (!isBoundLoop(stmt)) {
            for (const Stmt child : stmt->body()) visit(child);
            return;
        }
        GpuKernel kernel;
        kernel.root = stmt;
        enterThread(kernel);
        const Uses uses = usesIn(stmt);
        for (const auto *buffers : {&m_args, &m_heap})
            for (const Buffer *buffer : *buffers)
                if (const auto use = uses.find(buffer); use != uses.end())
                    kernel.parameters.push_back({buffer, use->second.read, use->second.written});
        kernels.push_back(std::move(kernel));
    }

    std::vector<GpuKernel> kernels;

  private:
    std::vector<const Buffer *> m_args;
    std::vector<const Buffer *> m_heap;
};

} // namespace

std::vector<const Buffer *> heapBuffersOf(const LoopProgram &program) {
    std::vector<const Buffer *> found;
    if (!program.root) return found;
    forEachStmt(program.root, [&](Stmt s) {
        if (s->kind == StmtKind::Allocate && s->buffer->scope == MemoryScope::Heap) found.push_back(s->buffer);
    });
    return found;
}

std::string gpuKernelName(const std::string &entry, size_t i) { return entry + "_kernel" + std::to_string(i); }

std::vector<GpuKernel> gpuKernelsOf(const LoopProgram &program) {
    const Outcome<KernelLaunch> launch = describeLaunch(program, TargetKind::Cuda, program.name);
    LOOPSCOPE_CHECK(launch.ok(), "kernels of a program that no launch has room for");
    if (!launch.ok() || !program.root) return {};
    KernelsOfProgram kernels(program);
    kernels.visit(program.root);
    LOOPSCOPE_CHECK(kernels.kernels.size() == launch->grids.size(), "a launch without its kernel");
    for (size_t i = 0; i < kernels.kernels.size(); ++i) {
        kernels.kernels[i].name = gpuKernelName(program.name, i);
        kernels.kernels[i].launch = launch->grids[i];
        kernels.kernels[i].shared = sharedLayoutOf(kernels.kernels[i].root);
    }
    return std::move(kernels.kernels);
}

void describeParameters(const LoopProgram &program, KernelLaunch &launch) {
    std::map<const Buffer *, int32_t> numbers; // only looked up
    for (const ProgramArg &arg : program.args) numbers.emplace(arg.buffer, static_cast<int32_t>(numbers.size()));
    for (const Buffer *buffer : heapBuffersOf(program)) {
        numbers.emplace(buffer, static_cast<int32_t>(numbers.size()));
        launch.intermediates.push_back({buffer->name, buffer->elements() * dtypeBytes(buffer->dtype)});
    }
    for (const GpuKernel &kernel : gpuKernelsOf(program)) {
        std::vector<int32_t> &handed = launch.parameters.emplace_back();
        for (const KernelParameter &parameter : kernel.parameters) handed.push_back(numbers.at(parameter.buffer));
    }
}

} // namespace loopscope
