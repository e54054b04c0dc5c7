#pragma once
// Runs blocks of a kernel, all threads of one in lockstep: an instruction for all lanes, then the next. Where threads
// take different ways, each way is gone with the lanes that take it.

#include "codegen/executor/lane_memory.h"

#include <atomic>
#include <cstdint>

namespace loopscope {

struct ExecutorCounts {
    int64_t blocks = 0;
    int64_t threads = 0;
    int64_t barriers = 0;         // a block came to
    int64_t stores = 0;           // by active lanes
    int64_t loads = 0;            // likewise
    int64_t laneInstructions = 0; // instructions times the lanes they were carried out for
};

class BlockMachine {
  public:
    BlockMachine(const SimtKernel &kernel, LaneMemory &memory, WatchClock &clock, FindingList &findings, int warp,
                 ExecutorCounts &counts);

    /// False when there are as many findings as are wanted, or it is cancelled.
    bool runBlock(int64_t number, const std::atomic<bool> *cancel);

  private:
    void run(const std::vector<SimtInstruction> &code, const std::atomic<bool> *cancel);
    /// To the mask that holds around.
    void restore(int32_t mask) { m_frame.now = mask < 0 ? m_all : m_masks[static_cast<size_t>(mask)]; }
    void narrow(const SimtInstruction &in);
    /// Lanes of the loop that have another round; false when there is none.
    bool laneRound(const SimtInstruction &in);
    void setCounter(const SimtInstruction &in, int64_t round);
    void barrier(const SimtInstruction &in);
    void shuffle(const SimtInstruction &in);
    template <typename T> void shuffleAs(const SimtInstruction &in);

    const SimtKernel &m_kernel;
    LaneMemory &m_memory;
    WatchClock &m_clock;
    FindingList &m_findings;
    int m_warp;
    ExecutorCounts &m_counts;
    LaneFrame m_frame;
    LaneFrame::Mask m_all;
    std::vector<LaneFrame::Mask> m_masks; // by slot
    std::vector<int64_t> m_rounds;        // by slot, of loops
    bool m_setUp = false;
};

} // namespace loopscope
