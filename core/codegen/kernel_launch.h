#pragma once
// A built kernel and how it is called: all that a runner (codegen/runtime/runner.h) needs, whichever code generator
// made it. Contains no text for people and no program.

#include "base/outcome.h"
#include "codegen/loop_ir/program.h"
#include "language/target/target.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace loopscope {

/// One argument of a built kernel, in kernel order (which is the task's order).
struct KernelArg {
    std::string name;
    bool output = false;
    DType dtype = DType::Float32;
    int64_t elements = 0;       // as the kernel sees it: packed
    std::vector<int64_t> shape; // as the workload has it
    std::vector<PackedDim> packing;
    bool weights = false; // the same in every call: Buffer::layoutFree
};

/// Bytes of an argument as the kernel sees it.
size_t argBytes(const KernelArg &arg);

/// Shared memory that a kernel may declare; with more, all of it is one piece whose size the launch asks for.
inline constexpr int64_t kDeclaredSharedBytes = 48 * 1024;

/// One launch on a GPU: a nest of loops bound to block and thread indices, of which a program has one for each stage
/// that is computed at root.
struct GridLaunch {
    std::array<int64_t, 3> blocks = {1, 1, 1};  // in x, y, z
    std::array<int64_t, 3> threads = {1, 1, 1}; // of a block
    int64_t sharedBytes = 0;                    // of a block, that exist at once
    bool operator==(const GridLaunch &) const = default;
};

/// An intermediate in the global memory of a GPU, which whoever launches the kernels allocates.
struct GlobalBuffer {
    std::string name;
    int64_t bytes = 0;
};

struct KernelLaunch {
    TargetKind kind = TargetKind::Llvm; // whose runner
    std::string entry;                  // symbol in the object
    std::vector<KernelArg> args;
    // GPUs; the second and the third are known once there is code (describeParameters):
    std::vector<GridLaunch> grids;                // in the order of the program
    std::vector<GlobalBuffer> intermediates;      // in the order they are allocated
    std::vector<std::vector<int32_t>> parameters; // of each grid's kernel: arguments by number, then intermediates
    /// Processors: the most threads a parallel loop can keep busy, its iterations; 1 = there is none, INT64_MAX = known
    /// only at run time.
    int64_t threads = 1;
    /// Buffers beyond the arguments that exist at once: of one thread from the heap, of one GPU block shared.
    int64_t scratchBytes = 0;
};

struct BuiltKernel {
    std::vector<char> object; // in the format of the target
    KernelLaunch launch;
};

/// Refuses loops that no launch has room for: of one nest, bound to the same GPU index with different numbers of
/// iterations; or bound with a number that is known only at run time.
Outcome<KernelLaunch> describeLaunch(const LoopProgram &program, TargetKind kind, std::string entry);

} // namespace loopscope
