#pragma once
// Who wrote and read an element of shared or global memory last, and when. Of shared buffers that lie at the same bytes
// one after the other, the bytes are watched: an access to one meets the accesses to the others. Lockstep alone would
// hide that two threads meet in an element: it runs them in one order of many. Here any two accesses of one phase (from
// barrier to barrier) by different threads are found, one of them writing, whatever the order; and of global memory
// those of different blocks of a kernel.

#include "codegen/executor/executor_finding.h"
#include "codegen/executor/simt_program.h"

#include <cstdint>
#include <vector>

namespace loopscope {

/// Phases count up over all barriers, blocks and kernels; 0: never.
struct WriteMark {
    uint32_t phase = 0;
    uint16_t thread = 0;
    uint16_t access = 0; // of the kernel
};
struct ReadMark {
    static constexpr uint16_t kNobody = 0xffff;
    uint32_t phase = 0;
    uint32_t earlier = 0; // the last phase of another block of the kernel
    uint16_t thread = 0;
    uint16_t second = kNobody; // another thread that read it in that phase
    uint16_t access = 0;
    uint16_t earlierAccess = 0;
};

/// When something happens.
struct WatchClock {
    uint32_t now = 0;
    uint32_t block = 0;  // the first phase of the block
    uint32_t kernel = 0; // the first phase of the kernel
};

/// Memory of a buffer while a kernel runs.
struct SimtMemory {
    const Buffer *buffer = nullptr;
    std::byte *data = nullptr;   // Local: of an element the lanes side by side
    WriteMark *writes = nullptr; // null: nothing of it is watched
    ReadMark *reads = nullptr;   // null: no reading of it can meet a writing
    int marks = 1;               // of an element; more where a smaller one of another buffer may lie there
    uint8_t *written = nullptr;  // Local: 1 by element and lane
    bool blocks = false;         // global: other blocks see it
    bool shares = false;         // bytes with other buffers
};

/// Collects findings, each pair of statements once.
class FindingList {
  public:
    explicit FindingList(size_t most) : m_most(most) {}
    /// What is known of an access by its number.
    void enter(const SimtKernel &kernel, const WatchClock &clock) {
        m_kernel = &kernel;
        m_clock = &clock;
        m_blocks.clear();
    }
    void enterBlock(int64_t number) { m_blocks.push_back({m_clock->now, number}); }

    void race(const SimtMemory &memory, int64_t element, int32_t earlier, uint32_t phase, int thread, int32_t access,
              int lane);
    /// Reads what another buffer has left at its bytes.
    void overwritten(const SimtMemory &memory, int64_t element, const WriteMark &write, int32_t access, int lane);
    /// The two are of different buffers.
    [[nodiscard]] bool elsewhere(int32_t earlier, int32_t access) const {
        return this->access(earlier).buffer != this->access(access).buffer;
    }
    void at(ExecutorFault fault, const SimtMemory *memory, int64_t element, int32_t stmt, bool writes, int lane,
            const CheckedDimension *dimension = nullptr, int64_t value = 0, int active = 0, int threads = 0);

    [[nodiscard]] bool full() const { return m_findings.size() >= m_most; }
    [[nodiscard]] const std::vector<ExecutorFinding> &findings() const { return m_findings; }

  private:
    struct BlockBegin {
        uint32_t phase = 0;
        int64_t number = 0;
    };
    [[nodiscard]] int64_t blockAt(uint32_t phase) const;
    [[nodiscard]] const SimtAccess &access(int32_t number) const {
        return m_kernel->accesses[static_cast<size_t>(number)];
    }
    /// Names the element of the earlier access when it is of another buffer.
    void nameFirst(ExecutorFinding &finding, const SimtMemory &memory, int64_t element, int32_t earlier,
                   int32_t access) const;
    void add(ExecutorFinding finding);

    size_t m_most;
    const SimtKernel *m_kernel = nullptr;
    const WatchClock *m_clock = nullptr;
    std::vector<BlockBegin> m_blocks; // of the kernel, in the order they were run
    std::vector<ExecutorFinding> m_findings;
};

} // namespace loopscope
