#pragma once
// Runs a loop program for a GPU on this processor, with the meaning it has there: blocks in any order, threads between
// barriers in any order, shared and local memory, shuffles, values rounded as they are. It finds what a GPU would do in
// silence (races, divergent barriers, accesses outside, reading what nobody wrote) and says where.
//
// It does not tell how long a kernel takes on a GPU. In which order floats are added up is the program's; contracting
// products and sums, which a compiler may do, it does not do.

#include "base/outcome.h"
#include "codegen/executor/block_machine.h"
#include "codegen/executor/executor_finding.h"
#include "codegen/executor/simt_program.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace loopscope {

struct ExecutorOptions {
    /// Of a kernel whose results no later kernel reads: that many are run, evenly spread, the first and the last among
    /// them; 0: all. Kernels before it run whole, or there would be nothing for it to read.
    int64_t maxBlocks = 0;
    /// The same by lane instructions of such a kernel, as far as they can be told before it runs; 0: no limit.
    double maxWork = 0;
    uint64_t seed = 0; // of the choice of blocks
    bool watch = true; // for races and for what was never written; it takes about half of the time
    int warp = 32;
    size_t maxFindings = 8; // of different statements; then it ends
    const std::atomic<bool> *cancel = nullptr;
};

struct ExecutorRun {
    struct Kernel {
        int64_t blocks = 0; // it has
        int64_t run = 0;    // of them
        int threads = 0;    // of a block
    };
    std::vector<ExecutorFinding> findings;
    ExecutorCounts counts;
    std::vector<Kernel> kernels; // in program order
    /// By argument, of outputs that blocks left out would have written to: 1 for elements that were written. Empty: all
    /// of it was, or it is an input.
    std::vector<std::vector<uint8_t>> written;
    bool cancelled = false;

    [[nodiscard]] bool sampled() const;
    /// "17 of 4096 blocks", of the kernels together; empty when all ran.
    [[nodiscard]] std::string sampleText() const;
};

class Executor {
  public:
    /// The program is for GPUs and outlives what is made. Refused: what no launch has room for.
    static Outcome<Executor> of(const LoopProgram &program);

    /// `arguments`: one for each of the program, as the kernel sees it (packed), in memory of that size.
    [[nodiscard]] ExecutorRun run(std::span<std::byte *const> arguments, const ExecutorOptions &options = {}) const;

  private:
    struct GlobalMemory;
    explicit Executor(const LoopProgram &program) : m_program(&program) {}
    std::string collect(Stmt stmt);
    /// Blocks of a kernel to be run; nothing: all.
    [[nodiscard]] std::vector<int64_t> chosenBlocks(size_t kernel, const ExecutorOptions &options) const;

    const LoopProgram *m_program;
    std::vector<SimtKernel> m_kernels;
    std::vector<const Buffer *> m_heap; // intermediates between kernels
};

} // namespace loopscope
