#pragma once
// The registers of a block that is run, and which of its lanes are active.

#include "codegen/executor/simt_program.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace loopscope {

template <typename T> struct LaneOperand {
    const T *at = nullptr;
    bool varying = false;
    T operator[](int lane) const { return at[varying ? lane : 0]; }
};

class LaneFrame {
  public:
    explicit LaneFrame(const SimtKernel &kernel);
    LaneFrame(const LaneFrame &) = delete;
    LaneFrame &operator=(const LaneFrame &) = delete;

    [[nodiscard]] int lanes() const { return m_lanes; }
    template <typename T> [[nodiscard]] LaneOperand<T> operand(int32_t reg) const {
        const auto at = static_cast<size_t>(reg);
        return {static_cast<const T *>(m_at[at]), m_varying[at] != 0};
    }
    [[nodiscard]] bool varying(int32_t reg) const { return m_varying[static_cast<size_t>(reg)] != 0; }
    /// To write to; the register is no longer the memory it was read from.
    template <typename T> T *result(int32_t reg) {
        const auto at = static_cast<size_t>(reg);
        m_at[at] = m_own[at];
        return static_cast<T *>(m_own[at]);
    }
    /// The register is what lies there, until it is written to.
    void alias(int32_t reg, const void *memory) { m_at[static_cast<size_t>(reg)] = memory; }
    /// Of an integer register, in one lane.
    [[nodiscard]] int64_t integer(int32_t reg, int lane) const;
    void setInteger(int32_t reg, int64_t value); // one value for all lanes

    // --- Active lanes ---
    struct Mask {
        const uint8_t *lanes = nullptr; // null: all
        int active = 0;
    };
    Mask now;
    [[nodiscard]] uint8_t *maskMemory(int32_t slot) {
        return m_masks.data() + static_cast<size_t>(slot) * static_cast<size_t>(m_lanes);
    }

  private:
    const SimtKernel &m_kernel;
    int m_lanes;
    std::vector<uint64_t> m_uniform;
    std::vector<uint64_t> m_rows;
    std::vector<void *> m_own;
    std::vector<const void *> m_at;
    std::vector<uint8_t> m_varying;
    std::vector<uint8_t> m_masks;
};

} // namespace loopscope
