#include "codegen/executor/lane_frame.h"

namespace loopscope {

LaneFrame::LaneFrame(const SimtKernel &kernel) : m_kernel(kernel), m_lanes(kernel.lanes()) {
    const size_t count = kernel.registers.size();
    m_uniform.assign(count, 0);
    // A row is rounded up to whole cache lines.
    const size_t rowBytes = (static_cast<size_t>(m_lanes) * 4 + 63) / 64 * 64;
    const size_t rows = static_cast<size_t>(kernel.rows) + static_cast<size_t>(kernel.scratchRows);
    m_rows.assign(rows * rowBytes / sizeof(uint64_t) + 16, 0);
    auto *const first = reinterpret_cast<std::byte *>(m_rows.data());
    auto *const aligned = first + (64 - reinterpret_cast<uintptr_t>(first) % 64) % 64;
    for (size_t i = 0; i < count; ++i) {
        const SimtRegister &reg = kernel.registers[i];
        const int32_t row = reg.row + (reg.scratch ? kernel.rows : 0);
        m_own.push_back(reg.varying ? static_cast<void *>(aligned + static_cast<size_t>(row) * rowBytes)
                                    : static_cast<void *>(&m_uniform[i]));
        m_varying.push_back(reg.varying ? 1 : 0);
    }
    m_at.assign(m_own.begin(), m_own.end());
    m_masks.assign(static_cast<size_t>(kernel.maskSlots) * static_cast<size_t>(m_lanes), 0);
    now.active = m_lanes;
    for (const SimtConstant &constant : kernel.constants) {
        switch (kernel.registers[static_cast<size_t>(constant.reg)].kind) {
        case LaneKind::Float32:
            *result<float>(constant.reg) = static_cast<float>(constant.number);
            break;
        case LaneKind::Float64:
            *result<double>(constant.reg) = constant.number;
            break;
        default:
            setInteger(constant.reg, constant.integer);
        }
    }
    // Numbers of threads: x runs fastest.
    for (int lane = 0; lane < m_lanes; ++lane) {
        int64_t rest = lane;
        for (size_t axis = 0; axis < 3; ++axis) {
            const int32_t reg = kernel.threadNumber[axis];
            const int64_t number = rest % kernel.threads[axis];
            rest /= kernel.threads[axis];
            if (reg < 0 || !varying(reg)) continue; // one thread: 0
            if (isWide(kernel.registers[static_cast<size_t>(reg)].kind))
                result<int64_t>(reg)[lane] = number;
            else
                result<int32_t>(reg)[lane] = static_cast<int32_t>(number);
        }
    }
}

int64_t LaneFrame::integer(int32_t reg, int lane) const {
    return m_kernel.registers[static_cast<size_t>(reg)].kind == LaneKind::Int64 ? operand<int64_t>(reg)[lane]
                                                                                : operand<int32_t>(reg)[lane];
}

void LaneFrame::setInteger(int32_t reg, int64_t value) {
    if (m_kernel.registers[static_cast<size_t>(reg)].kind == LaneKind::Int64)
        *result<int64_t>(reg) = value;
    else
        *result<int32_t>(reg) = static_cast<int32_t>(value);
}

} // namespace loopscope
