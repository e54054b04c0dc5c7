#pragma once
// Loads and stores of all lanes of a block: indices checked against their dimensions, values converted as they are
// stored, and the watch told of every access.

#include "codegen/executor/access_watch.h"
#include "codegen/executor/lane_frame.h"

#include <vector>

namespace loopscope {

class LaneMemory {
  public:
    /// `memories` by the kernel's buffers.
    LaneMemory(const SimtKernel &kernel, std::vector<SimtMemory> memories, const WatchClock &clock,
               FindingList &findings, bool watch);

    void load(const SimtInstruction &in, LaneFrame &frame);
    void store(const SimtInstruction &in, LaneFrame &frame);
    /// Local memory holds nothing any more.
    void forget(int32_t buffer);

  private:
    /// Where the lanes of an access go: base + lanes[i], or base in all of them.
    struct Place {
        int64_t base = 0;
        const int32_t *lanes = nullptr;
        LaneFrame::Mask mask;
    };
    Place placeOf(const SimtAccess &access, const LaneFrame &frame);
    void checkDimension(const SimtAccess &access, const CheckedDimension &dimension, const LaneFrame &frame,
                        Place &place);
    void noteReads(const SimtMemory &memory, const Place &place, int32_t access);
    void noteWrites(const SimtMemory &memory, const Place &place, int32_t access);
    void noteRead(const SimtMemory &memory, int64_t element, int32_t access, int lane);
    void noteRead(const SimtMemory &memory, int64_t element, int64_t mark, int32_t access, int lane);
    void noteWrite(const SimtMemory &memory, int64_t element, int64_t mark, int32_t access, int lane);
    void neverWritten(const SimtMemory &memory, int64_t element, int32_t access, int lane);
    template <typename Visit> void forActive(const Place &place, Visit &&visit) const;
    template <typename Stored, typename Held, typename Convert>
    void loadAs(const SimtMemory &memory, const SimtInstruction &in, const Place &place, LaneFrame &frame,
                Convert convert);
    template <typename Stored, typename Held, typename Convert>
    void storeAs(const SimtMemory &memory, const SimtInstruction &in, const Place &place, LaneFrame &frame,
                 Convert convert);

    const SimtKernel &m_kernel;
    std::vector<SimtMemory> m_memories;
    const WatchClock &m_clock;
    FindingList &m_findings;
    bool m_watch;
    int m_lanes;
    std::vector<uint8_t> m_inside; // lanes whose indices are inside their dimensions
};

} // namespace loopscope
