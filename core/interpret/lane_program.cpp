#include "interpret/lane_program.h"

#include "check.h"
#include "outcome.h"

#include <algorithm>

namespace loopscope {

LaneProgram::LaneProgram(std::string opName, LaneNest nest, const TensorValues &values)
    : m_opName(std::move(opName)), m_nest(std::move(nest)), m_values(values), m_chunkLoop(m_nest.chunkLoop()) {
    for (size_t axis = 0; axis < m_nest.axes.size(); ++axis) {
        m_ranges.push_back({m_nest.axes[axis].var.node(), Interval::upTo(m_nest.axes[axis].extent)});
        Instruction value;
        value.kind = Instruction::Kind::Axis;
        value.dtype = m_nest.axes[axis].var->dtype;
        value.axis = axis;
        value.level = m_nest.loopOf(axis);
        value.varying = m_nest.isLane(axis);
        bind(m_nest.axes[axis].var, append(value));
    }
}

int LaneProgram::append(Instruction instruction) {
    const auto dependOn = [&](int reg) {
        instruction.level = std::max(instruction.level, m_instructions[static_cast<size_t>(reg)].level);
        return m_instructions[static_cast<size_t>(reg)].varying;
    };
    for (const int arg : instruction.args)
        if (arg >= 0 && dependOn(arg)) instruction.varying = true;
    if (instruction.load >= 0)
        for (const int index : m_loads[static_cast<size_t>(instruction.load)].indices)
            if (dependOn(index)) instruction.varying = true;
    // One value for all lanes stays one: it is needed when any lane needs it.
    if (instruction.mask >= 0) dependOn(instruction.mask);
    classifyError(instruction);
    m_instructions.push_back(instruction);
    return static_cast<int>(m_instructions.size()) - 1;
}

int LaneProgram::addMask(int condition, bool holds, int parent) {
    Instruction mask;
    mask.kind = Instruction::Kind::Mask;
    mask.args[0] = condition;
    mask.args[1] = parent;
    mask.holds = holds;
    return append(mask);
}

int LaneProgram::addVariable(Expr var, bool bounded) {
    Instruction variable;
    variable.kind = Instruction::Kind::External;
    variable.dtype = var->dtype;
    variable.level = static_cast<int>(m_nest.loops.size()); // another one at every point
    variable.varying = true;
    variable.bounded = bounded;
    const int reg = append(variable);
    bind(var, reg);
    return reg;
}

const TensorValue &LaneProgram::valueOf(Expr load) const {
    const auto found = m_values.find(load->symbol);
    LOOPSCOPE_CHECK(found != m_values.end(), "'" + m_opName + "' reads a tensor that has no value yet");
    return *found->second;
}

bool LaneProgram::safe(Expr e) const {
    if (e->kind == ExprKind::Load) {
        const auto offset = affineOffset(e, m_ranges);
        return offset && offset->staysInside(static_cast<int64_t>(valueOf(e).size()));
    }
    const bool divides = e->kind == ExprKind::Div || e->kind == ExprKind::Mod || e->kind == ExprKind::FloorDiv ||
                         e->kind == ExprKind::FloorMod;
    if (divides && !isFloat(e->dtype) && (e->arg(1)->kind != ExprKind::IntImm || e->arg(1)->intValue == 0))
        return false;
    return std::all_of(e->operands().begin(), e->operands().end(), [&](Expr operand) { return safe(operand); });
}

int LaneProgram::compile(Expr e, int mask) {
    for (const int known : {kAlways, mask})
        if (const auto found = m_compiled.find({e.node(), known}); found != m_compiled.end()) return found->second;
    const int reg = compileNode(e, mask);
    m_compiled[{e.node(), mask}] = reg;
    return reg;
}

int LaneProgram::compileNode(Expr e, int mask) {
    Instruction instruction;
    instruction.expr = e->kind;
    instruction.dtype = e->dtype;
    instruction.intrinsic = e->intrinsic;
    instruction.mask = mask;
    switch (e->kind) {
    case ExprKind::IntImm:
        instruction.intValue = e->intValue;
        instruction.mask = kAlways;
        return append(instruction);
    case ExprKind::FloatImm:
        instruction.floatValue = e->floatValue;
        instruction.mask = kAlways;
        return append(instruction);
    case ExprKind::Var: {
        const auto found = m_variables.find(e.node());
        LOOPSCOPE_CHECK(found != m_variables.end(),
                        "'" + m_opName + "' uses the unknown variable " + std::string(e->name()));
        return found->second;
    }
    case ExprKind::Load:
        return compileLoad(e, mask);
    case ExprKind::Let: {
        const auto before = m_compiled; // what is compiled inside holds for this value only
        bind(e->arg(0), compile(e->arg(1), mask));
        const int body = compile(e->arg(2), mask);
        m_compiled = before;
        return body;
    }
    case ExprKind::StringImm:
        LOOPSCOPE_CHECK(false, "a string has no value");
        break;
    default:
        break;
    }
    LOOPSCOPE_CHECK(e->argCount >= 1 && e->argCount <= 3, "operands of " + toText(e));
    instruction.operandType = e->arg(0)->dtype;
    const bool choice =
        e->kind == ExprKind::Select || (e->kind == ExprKind::Call && e->intrinsic == Intrinsic::IfThenElse);
    if (choice || e->kind == ExprKind::And || e->kind == ExprKind::Or) return compileBranches(e, instruction);
    for (size_t i = 0; i < e->argCount; ++i) instruction.args[i] = compile(e->arg(i), mask);
    if (e->kind == ExprKind::Call && isFloat(e->dtype)) widenOperands(e, instruction);
    const bool intToInt = e->kind == ExprKind::Cast && !isFloat(e->dtype) && !isFloat(instruction.operandType);
    if (intToInt && Interval::ofType(instruction.operandType).inside(Interval::ofType(e->dtype)))
        return instruction.args[0]; // the same number
    return append(instruction);
}

void LaneProgram::widenOperands(Expr call, Instruction &instruction) {
    for (size_t i = 0; i < call->argCount; ++i) {
        if (isFloat(call->arg(i)->dtype)) continue;
        Instruction cast;
        cast.expr = ExprKind::Cast;
        cast.dtype = DType::Float64;
        cast.operandType = call->arg(i)->dtype;
        cast.mask = instruction.mask;
        cast.args[0] = instruction.args[i];
        instruction.args[i] = append(cast);
    }
}

int LaneProgram::compileBranches(Expr e, Instruction instruction) {
    instruction.args[0] = compile(e->arg(0), instruction.mask);
    const auto branch = [&](size_t i, bool holds) {
        if (safe(e->arg(i))) return compile(e->arg(i), kAlways);
        return compile(e->arg(i), addMask(instruction.args[0], holds, instruction.mask));
    };
    instruction.args[1] = branch(1, e->kind != ExprKind::Or);
    if (e->argCount == 3) {
        instruction.expr = ExprKind::Select;
        instruction.args[2] = branch(2, false);
    }
    return append(instruction);
}

int LaneProgram::compileLoad(Expr e, int mask) {
    Load load;
    load.symbol = e->symbol;
    load.value = &valueOf(e);
    load.elements = static_cast<int64_t>(load.value->size());
    Instruction instruction;
    instruction.expr = ExprKind::Load;
    instruction.dtype = e->dtype;
    instruction.mask = mask;
    if (const auto offset = affineOffset(e, m_ranges)) {
        load.affine = true;
        load.inside = offset->staysInside(load.elements);
        if (!load.inside && mask == kAlways) failOutside(load);
        load.base = offset->base;
        load.lanes.assign(static_cast<size_t>(m_nest.lanes()), 0);
        for (size_t axis = 0; axis < offset->strides.size(); ++axis) {
            const int64_t stride = offset->strides[axis];
            if (stride == 0) continue;
            instruction.level = std::max(instruction.level, m_nest.loopOf(axis));
            if (m_nest.loopOf(axis) >= 0) load.terms.emplace_back(axis, stride);
            if (!m_nest.isLane(axis)) continue;
            instruction.varying = true;
            for (int lane = 0; lane < m_nest.lanes(); ++lane)
                load.lanes[static_cast<size_t>(lane)] += stride * m_nest.laneValue(axis, lane);
        }
        load.contiguous = true;
        for (int64_t lane = 0; lane < m_nest.lanes(); ++lane)
            if (load.lanes[static_cast<size_t>(lane)] != lane) load.contiguous = false;
    } else {
        for (const Expr index : e->operands()) load.indices.push_back(compile(index, mask));
    }
    instruction.load = static_cast<int>(m_loads.size());
    m_loads.push_back(std::move(load));
    return append(instruction);
}

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
    const auto room = [&](const Instruction &in) { return in.varying ? lanes : size_t{1}; };
    size_t floats = 0;
    size_t ints = 0;
    size_t errors = 0;
    for (const Instruction &in : m_instructions) {
        (isFloat(in.dtype) ? floats : ints) += room(in);
        if (in.bounded) errors += room(in);
    }
    state.floatMemory.assign(floats, 0);
    state.intMemory.assign(ints, 0);
    state.errorMemory.assign(errors, 0);
    floats = ints = errors = 0;
    for (size_t i = 0; i < m_instructions.size(); ++i) {
        const Instruction &in = m_instructions[i];
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

LaneValues<double> LaneProgram::floats(const LaneState &state, int reg) const {
    return {state.registers[static_cast<size_t>(reg)].floats, m_instructions[static_cast<size_t>(reg)].varying};
}

LaneValues<int64_t> LaneProgram::ints(const LaneState &state, int reg) const {
    return {state.registers[static_cast<size_t>(reg)].ints, m_instructions[static_cast<size_t>(reg)].varying};
}

void LaneProgram::failOutside(const Load &load) const {
    throw Error("'" + m_opName + "' reads outside of '" + load.symbol->name + "'");
}

} // namespace loopscope
