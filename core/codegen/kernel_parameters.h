#pragma once
// The kernels of a loop program for a GPU: what each runs, with how many blocks and threads, and which buffers it is
// handed. CUDA text, PTX and the launcher agree because all of them ask here.

#include "codegen/kernel_launch.h"
#include "codegen/loop_ir/program.h"
#include "codegen/loop_ir/shared_layout.h"

#include <string>
#include <vector>

namespace loopscope {

/// A buffer in global memory that a kernel is handed as a pointer.
struct KernelParameter {
    const Buffer *buffer = nullptr;
    bool read = false;
    bool written = false;
};

/// The loop of a kernel that a block or thread index stands for.
struct BoundLoop {
    LoopKind kind = LoopKind::BlockX;
    Stmt loop;
};

struct GpuKernel {
    std::string name;             // `<program>_kernel<i>`, i in the order of the program
    Stmt root;                    // the outermost bound loop
    std::vector<BoundLoop> bound; // from outside in
    Stmt body;                    // of one thread: inside of the bound loops and of the shared buffers
    GridLaunch launch;
    /// The buffers it uses: arguments by argIndex, then intermediates on the heap in the order they are allocated.
    std::vector<KernelParameter> parameters;
    std::vector<const Buffer *> sharedBuffers; // in the order they are allocated
    SharedLayout shared;                       // where they lie

    /// Shared memory is more than a kernel may declare: the launch asks for it.
    [[nodiscard]] bool asksForShared() const { return shared.bytes > kDeclaredSharedBytes; }
    /// Shared buffers are places in one piece of bytes, not variables.
    [[nodiscard]] bool sharesOnePiece() const { return asksForShared() || shared.reused; }
};

/// What the kernel of `launch.grids[i]` is called in the code, `entry` being the name of the program.
std::string gpuKernelName(const std::string &entry, size_t i);

/// In the order of the launches of `describeLaunch`, which must not refuse the program.
std::vector<GpuKernel> gpuKernelsOf(const LoopProgram &program);

/// Intermediates in global memory, which whoever launches the kernels allocates, in the order they are allocated.
std::vector<const Buffer *> heapBuffersOf(const LoopProgram &program);

/// Fills in what a runner hands to the kernels: the launch's intermediates and parameters.
void describeParameters(const LoopProgram &program, KernelLaunch &launch);

} // namespace loopscope
