#pragma once
// How many blocks of a kernel fit on a multiprocessor, as far as passes can tell: by threads, by shared memory, and by
// an estimate of the registers. What the compiler really takes is known later (kernel_limits).

#include "codegen/loop_ir/program.h"
#include "language/target/target.h"

#include <cstdint>

namespace loopscope {

class BlockFit {
  public:
    BlockFit(const Target &target, Stmt kernel);

    /// The same with so many registers of 32 bits more a thread.
    [[nodiscard]] BlockFit withRegisters(int64_t more) const;
    /// With so many bytes of shared memory a block.
    [[nodiscard]] int blocks(int64_t sharedBytes) const;

  private:
    const Target *m_target;
    int64_t m_threads = 1;
    int64_t m_registers = 0; // that a thread's local memory takes
};

} // namespace loopscope
