#include "codegen/executor/block_machine.h"

#include "codegen/executor/lane_arithmetic.h"

#include <algorithm>

namespace loopscope {

BlockMachine::BlockMachine(const SimtKernel &kernel, LaneMemory &memory, WatchClock &clock, FindingList &findings,
                           int warp, ExecutorCounts &counts)
    : m_kernel(kernel), m_memory(memory), m_clock(clock), m_findings(findings), m_warp(warp), m_counts(counts),
      m_frame(kernel), m_all(m_frame.now), m_masks(static_cast<size_t>(kernel.maskSlots)),
      m_rounds(static_cast<size_t>(kernel.maskSlots)) {}

bool BlockMachine::runBlock(int64_t number, const std::atomic<bool> *cancel) {
    ++m_clock.now;
    m_clock.block = m_clock.now;
    m_findings.enterBlock(number);
    int64_t rest = number;
    for (size_t axis = 0; axis < 3; ++axis) {
        const int64_t at = rest % m_kernel.blocks[axis];
        rest /= m_kernel.blocks[axis];
        if (m_kernel.blockNumber[axis] >= 0) m_frame.setInteger(m_kernel.blockNumber[axis], at);
    }
    m_frame.now = m_all;
    if (!m_setUp) run(m_kernel.setup, nullptr);
    m_setUp = true;
    run(m_kernel.code, cancel);
    ++m_counts.blocks;
    m_counts.threads += m_frame.lanes();
    return !m_findings.full() && !(cancel != nullptr && *cancel);
}

void BlockMachine::run(const std::vector<SimtInstruction> &code, const std::atomic<bool> *cancel) {
    const SimtInstruction *at = code.data();
    const SimtInstruction *const end = at + code.size();
    int64_t lanes = 0; // carried out, all of them
    while (at != end) {
        const SimtInstruction &in = *at++;
        lanes += m_frame.now.active;
        switch (in.op) {
        case SimtOp::Value:
            executeLaneValue(in, m_frame);
            break;
        case SimtOp::Copy:
            copyLanes(in, m_frame);
            break;
        case SimtOp::Load:
            m_counts.loads += m_frame.now.active;
            m_memory.load(in, m_frame);
            break;
        case SimtOp::Store:
            m_counts.stores += m_frame.now.active;
            m_memory.store(in, m_frame);
            break;
        case SimtOp::Shuffle:
            shuffle(in);
            break;
        case SimtOp::Mask:
            narrow(in);
            if (m_frame.now.active > 0) break;
            restore(in.parent);
            at += in.jump - 1;
            break;
        case SimtOp::EndMask:
            restore(in.parent);
            break;
        case SimtOp::Branch:
            if ((*m_frame.operand<int32_t>(in.args[0]).at != 0) != in.holds) at += in.jump - 1;
            break;
        case SimtOp::Jump:
            at += in.jump - 1;
            break;
        case SimtOp::Loop:
            m_rounds[static_cast<size_t>(in.slot)] = 0;
            if (m_frame.integer(in.args[1], 0) <= 0)
                at += in.jump - 1;
            else
                setCounter(in, 0);
            break;
        case SimtOp::NextRound: {
            const int64_t round = ++m_rounds[static_cast<size_t>(in.slot)];
            if (round >= m_frame.integer(in.args[1], 0)) break;
            setCounter(in, round);
            at += in.jump - 1;
            break;
        }
        case SimtOp::LaneLoop:
            m_rounds[static_cast<size_t>(in.slot)] = 0;
            if (!laneRound(in)) at += in.jump - 1;
            break;
        case SimtOp::NextOfLanes:
            ++m_rounds[static_cast<size_t>(in.slot)];
            if (laneRound(in)) at += in.jump - 1;
            break;
        case SimtOp::Barrier:
            barrier(in);
            if (m_findings.full() || (cancel != nullptr && *cancel)) at = end;
            break;
        case SimtOp::Forget:
            m_memory.forget(in.access);
            break;
        }
    }
    m_counts.laneInstructions += lanes;
}

void BlockMachine::narrow(const SimtInstruction &in) {
    const LaneOperand<int32_t> condition = m_frame.operand<int32_t>(in.args[0]);
    const LaneFrame::Mask around = in.parent < 0 ? m_all : m_masks[static_cast<size_t>(in.parent)];
    uint8_t *const mask = m_frame.maskMemory(in.slot);
    const int lanes = m_frame.lanes();
    int active = 0;
    const int wanted = in.holds ? 1 : 0;
    if (around.lanes == nullptr) {
        for (int i = 0; i < lanes; ++i) {
            mask[i] = static_cast<uint8_t>((condition[i] != 0 ? 1 : 0) == wanted);
            active += mask[i];
        }
    } else {
        for (int i = 0; i < lanes; ++i) {
            mask[i] = static_cast<uint8_t>(around.lanes[i] & ((condition[i] != 0 ? 1 : 0) == wanted ? 1 : 0));
            active += mask[i];
        }
    }
    m_frame.now = active == around.active ? around : LaneFrame::Mask{mask, active};
    m_masks[static_cast<size_t>(in.slot)] = m_frame.now;
}

bool BlockMachine::laneRound(const SimtInstruction &in) {
    const int64_t round = m_rounds[static_cast<size_t>(in.slot)];
    const LaneFrame::Mask around = in.parent < 0 ? m_all : m_masks[static_cast<size_t>(in.parent)];
    uint8_t *const mask = m_frame.maskMemory(in.slot);
    int active = 0;
    for (int i = 0; i < m_frame.lanes(); ++i) {
        const bool goesOn = (around.lanes == nullptr || around.lanes[i] != 0) && round < m_frame.integer(in.args[1], i);
        mask[i] = goesOn ? 1 : 0;
        active += mask[i];
    }
    if (active == 0) {
        restore(in.parent);
        return false;
    }
    m_frame.now = active == around.active ? around : LaneFrame::Mask{mask, active};
    m_masks[static_cast<size_t>(in.slot)] = m_frame.now;
    setCounter(in, round);
    return true;
}

void BlockMachine::setCounter(const SimtInstruction &in, int64_t round) {
    if (!in.varying) {
        m_frame.setInteger(in.dst, m_frame.integer(in.args[0], 0) + round);
        return;
    }
    if (laneKindOf(in.dtype) == LaneKind::Int64) {
        auto *const out = m_frame.result<int64_t>(in.dst);
        for (int i = 0; i < m_frame.lanes(); ++i) out[i] = m_frame.integer(in.args[0], i) + round;
    } else {
        auto *const out = m_frame.result<int32_t>(in.dst);
        for (int i = 0; i < m_frame.lanes(); ++i) out[i] = static_cast<int32_t>(m_frame.integer(in.args[0], i) + round);
    }
}

void BlockMachine::barrier(const SimtInstruction &in) {
    ++m_counts.barriers;
    if (m_frame.now.active != m_frame.lanes())
        m_findings.at(ExecutorFault::DivergentBarrier, nullptr, 0, in.stmt, false, -1, nullptr, 0, m_frame.now.active,
                      m_frame.lanes());
    ++m_clock.now;
}

void BlockMachine::shuffle(const SimtInstruction &in) {
    switch (laneKindOf(in.dtype)) {
    case LaneKind::Int32:
        return shuffleAs<int32_t>(in);
    case LaneKind::Int64:
        return shuffleAs<int64_t>(in);
    case LaneKind::Float32:
        return shuffleAs<float>(in);
    case LaneKind::Float64:
        return shuffleAs<double>(in);
    }
}

template <typename T> void BlockMachine::shuffleAs(const SimtInstruction &in) {
    const LaneOperand<T> value = m_frame.operand<T>(in.args[0]);
    const LaneFrame::Mask mask = m_frame.now;
    auto *const out = m_frame.result<T>(in.dst);
    const int lanes = m_frame.lanes();
    for (int first = 0; first < lanes; first += m_warp) {
        const int end = std::min(first + m_warp, lanes);
        int active = 0;
        int someone = -1;
        for (int i = first; i < end; ++i) {
            if (mask.lanes != nullptr && mask.lanes[i] == 0) continue;
            ++active;
            if (someone < 0) someone = i;
        }
        if (active > 0 && active < end - first)
            m_findings.at(ExecutorFault::PartialWarp, nullptr, 0, in.stmt, false, someone, nullptr, 0, active,
                          end - first);
        for (int i = first; i < end; ++i) {
            const int64_t other = first + ((i - first) ^ static_cast<int>(m_frame.integer(in.args[1], i)));
            const bool active1 = mask.lanes == nullptr || mask.lanes[i] != 0;
            if (other >= first && other < end) {
                out[i] = value[static_cast<int>(other)];
                continue;
            }
            // Nobody is there to hand a value on.
            out[i] = T{};
            if (active1)
                m_findings.at(ExecutorFault::PartialWarp, nullptr, 0, in.stmt, false, i, nullptr, 0, end - first,
                              m_warp);
        }
    }
}

} // namespace loopscope
