#include "language/interpret/lane_program.h"

#include "language/interpret/lane_error.h"
#include "language/interpret/lane_run.h"

#include "base/outcome.h"

namespace loopscope {

LaneProgram::LaneProgram(std::string opName, LaneNest nest, bool noticesExact)
    : m_opName(std::move(opName)), m_nest(std::move(nest)), m_chunkLoop(m_nest.chunkLoop()),
      m_noticesExact(noticesExact) {}

LaneState LaneProgram::makeState() const {
    LaneState state;
    state.counters.assign(m_nest.loops.size(), 0);
    state.values.assign(m_nest.axes.size(), 0);
    state.registers.resize(m_instructions.size());
    state.moved.resize(m_nest.loops.size() + 1);
    for (size_t i = 0; i < m_combinerBegin.value_or(m_instructions.size()); ++i)
        for (int loop = -1; loop < static_cast<int>(m_nest.loops.size()); ++loop)
            if (m_instructions[i].level >= loop)
                state.moved[static_cast<size_t>(loop + 1)].push_back(static_cast<int>(i));
    const auto lanes = static_cast<size_t>(m_nest.lanes());
    const auto room = [&](const LaneInstruction &in) { return in.varying ? lanes : size_t{1}; };
    size_t floats = 0;
    size_t ints = 0;
    size_t errors = 0;
    for (const LaneInstruction &in : m_instructions) {
        (isFloat(in.dtype) ? floats : ints) += room(in);
        if (in.bounded) errors += room(in);
    }
    state.floatMemory.assign(floats, 0);
    state.intMemory.assign(ints, 0);
    state.errorMemory.assign(errors, 0);
    floats = ints = errors = 0;
    for (size_t i = 0; i < m_instructions.size(); ++i) {
        const LaneInstruction &in = m_instructions[i];
        LaneState::Register &reg = state.registers[i];
        if (isFloat(in.dtype)) {
            reg.floats = reg.ownFloats = state.floatMemory.data() + floats;
            floats += room(in);
        } else {
            reg.ints = reg.ownInts = state.intMemory.data() + ints;
            ints += room(in);
        }
        if (!in.bounded) continue;
        reg.errors = state.errorMemory.data() + errors;
        errors += room(in);
    }
    return state;
}

void LaneProgram::start(LaneState &state, int64_t block) const {
    for (size_t i = m_nest.loops.size(); i-- > 0;) {
        const LaneNest::Loop &loop = m_nest.loops[i];
        const bool spatial = i < m_nest.spatialLoops;
        state.counters[i] = spatial ? block % loop.count : 0;
        if (spatial) block /= loop.count;
        state.values[loop.axis] = state.counters[i] * loop.step;
    }
    if (m_chunkLoop >= 0) state.width = m_nest.lanesAt(state.values[m_nest.firstLane]);
    runMoved(state, -1);
}

int LaneProgram::advance(LaneState &state) const {
    for (size_t i = m_nest.loops.size(); i-- > 0;) {
        const LaneNest::Loop &loop = m_nest.loops[i];
        const bool more = ++state.counters[i] < loop.count;
        if (!more) state.counters[i] = 0;
        state.values[loop.axis] = state.counters[i] * loop.step;
        if (static_cast<int>(i) == m_chunkLoop) state.width = m_nest.lanesAt(state.values[loop.axis]);
        if (!more) continue;
        runMoved(state, static_cast<int>(i));
        return static_cast<int>(i);
    }
    return -1;
}

void LaneProgram::runMoved(LaneState &state, int loop) const {
    for (const int i : state.moved[static_cast<size_t>(loop + 1)])
        execute(m_instructions[static_cast<size_t>(i)], state, state.registers[static_cast<size_t>(i)]);
}

void LaneProgram::combine(LaneState &state) const {
    for (size_t i = m_combinerBegin.value_or(m_instructions.size()); i < m_instructions.size(); ++i)
        execute(m_instructions[i], state, state.registers[i]);
}

void LaneProgram::execute(const LaneInstruction &in, LaneState &state, LaneState::Register &out) const {
    // What does not depend on the chunk is computed for a whole one: it may stay for the next.
    if (in.kind == LaneInstruction::Kind::External) return;
    const int lanes = !in.varying ? 1 : in.level < m_chunkLoop ? m_nest.lanes() : state.width;
    if (in.kind == LaneInstruction::Kind::Mask) return executeMask(*this, in, state, out, lanes);
    out.floats = out.ownFloats;
    out.ints = out.ownInts;
    const int64_t *active = nullptr; // where only some lanes are
    if (in.mask >= 0) {
        const LaneState::Register &mask = state.registers[static_cast<size_t>(in.mask)];
        if (!mask.any) return;
        if (!mask.all && in.varying) active = mask.ints;
    }
    executeValue(*this, in, state, out, lanes, active);
    if (in.bounded) executeError(*this, in, state, out, lanes, active);
}

void LaneProgram::failOutside(const LaneLoad &load) const {
    throw Error("'" + m_opName + "' reads outside of '" + load.symbol->name + "'");
}

} // namespace loopscope
