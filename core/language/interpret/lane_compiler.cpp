#include "language/interpret/lane_compiler.h"

#include "language/interpret/lane_error.h"

#include "base/check.h"

#include <algorithm>

namespace loopscope {

namespace {

/// An integer, by what may be 0.
bool dividesByUnknown(Expr e) {
    const bool divides = e->kind >= ExprKind::Div && e->kind <= ExprKind::FloorMod && !isFloat(e->dtype);
    return divides && (e->arg(1)->kind != ExprKind::IntImm || e->arg(1)->intValue == 0);
}

bool mayDivideByZero(Expr e) {
    return dividesByUnknown(e) || std::any_of(e->operands().begin(), e->operands().end(), mayDivideByZero);
}

} // namespace

LaneCompiler::LaneCompiler(LaneProgram &program, const LaneProgram::TensorValues &values)
    : m_program(program), m_values(values) {
    for (size_t axis = 0; axis < m_program.m_nest.axes.size(); ++axis) {
        m_ranges.push_back(
            {m_program.m_nest.axes[axis].var.node(), Interval::upTo(m_program.m_nest.axes[axis].extent)});
        LaneInstruction value;
        value.kind = LaneInstruction::Kind::Axis;
        value.dtype = m_program.m_nest.axes[axis].var->dtype;
        value.axis = axis;
        value.level = m_program.m_nest.loopOf(axis);
        value.varying = m_program.m_nest.isLane(axis);
        bind(m_program.m_nest.axes[axis].var, append(value));
    }
}

int LaneCompiler::append(LaneInstruction instruction) {
    const auto dependOn = [&](int reg) {
        instruction.level = std::max(instruction.level, m_program.m_instructions[static_cast<size_t>(reg)].level);
        return m_program.m_instructions[static_cast<size_t>(reg)].varying;
    };
    for (const int arg : instruction.args)
        if (arg >= 0 && dependOn(arg)) instruction.varying = true;
    if (instruction.load >= 0)
        for (const int index : m_program.m_loads[static_cast<size_t>(instruction.load)].indices)
            if (dependOn(index)) instruction.varying = true;
    // One value for all lanes stays one: it is needed when any lane needs it.
    if (instruction.mask >= 0) dependOn(instruction.mask);
    classifyError(m_program, instruction);
    m_program.m_instructions.push_back(instruction);
    return static_cast<int>(m_program.m_instructions.size()) - 1;
}

int LaneCompiler::addMask(int condition, bool holds, int parent) {
    LaneInstruction mask;
    mask.kind = LaneInstruction::Kind::Mask;
    mask.args[0] = condition;
    mask.args[1] = parent;
    mask.holds = holds;
    return append(mask);
}

int LaneCompiler::addVariable(Expr var, bool bounded) {
    LaneInstruction variable;
    variable.kind = LaneInstruction::Kind::External;
    variable.dtype = var->dtype;
    variable.level = static_cast<int>(m_program.m_nest.loops.size()); // another one at every point
    variable.varying = true;
    variable.bounded = bounded;
    const int reg = append(variable);
    bind(var, reg);
    return reg;
}

const TensorValue &LaneCompiler::valueOf(Expr load) const {
    const auto found = m_values.find(load->symbol);
    LOOPSCOPE_CHECK(found != m_values.end(), "'" + m_program.m_opName + "' reads a tensor that has no value yet");
    return *found->second;
}

bool LaneCompiler::safe(Expr e) const {
    if (e->kind == ExprKind::Load) {
        const auto offset = affineOffset(e, m_ranges);
        return offset && offset->staysInside(static_cast<int64_t>(valueOf(e).size()));
    }
    if (dividesByUnknown(e)) return false;
    return std::all_of(e->operands().begin(), e->operands().end(), [&](Expr operand) { return safe(operand); });
}

int LaneCompiler::compile(Expr e, int mask) {
    for (const int known : {kUnmasked, mask})
        if (const auto found = m_compiled.find({e.node(), known}); found != m_compiled.end()) return found->second;
    const int reg = compileNode(e, mask);
    m_compiled[{e.node(), mask}] = reg;
    return reg;
}

int LaneCompiler::compileNode(Expr e, int mask) {
    LaneInstruction instruction;
    instruction.expr = e->kind;
    instruction.dtype = e->dtype;
    instruction.intrinsic = e->intrinsic;
    instruction.mask = mask;
    switch (e->kind) {
    case ExprKind::IntImm:
        instruction.intValue = e->intValue;
        instruction.mask = kUnmasked;
        return append(instruction);
    case ExprKind::FloatImm:
        instruction.floatValue = e->floatValue;
        instruction.mask = kUnmasked;
        return append(instruction);
    case ExprKind::Var: {
        if (const auto later = m_dividing.find(e.node()); later != m_dividing.end())
            return compile(later->second, mask);
        const auto found = m_variables.find(e.node());
        LOOPSCOPE_CHECK(found != m_variables.end(),
                        "'" + m_program.m_opName + "' uses the unknown variable " + std::string(e->name()));
        return found->second;
    }
    case ExprKind::Load:
        return compileLoad(e, mask);
    case ExprKind::Let: {
        const auto before = m_compiled; // what is compiled inside holds for this value only
        // By 0 it divides only where the variable is read.
        if (mayDivideByZero(e->arg(1)))
            m_dividing[e->arg(0).node()] = e->arg(1);
        else
            bind(e->arg(0), compile(e->arg(1), mask));
        const int body = compile(e->arg(2), mask);
        m_compiled = before;
        return body;
    }
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

void LaneCompiler::widenOperands(Expr call, LaneInstruction &instruction) {
    for (size_t i = 0; i < call->argCount; ++i) {
        if (isFloat(call->arg(i)->dtype)) continue;
        LaneInstruction cast;
        cast.expr = ExprKind::Cast;
        cast.dtype = DType::Float64;
        cast.operandType = call->arg(i)->dtype;
        cast.mask = instruction.mask;
        cast.args[0] = instruction.args[i];
        instruction.args[i] = append(cast);
    }
}

int LaneCompiler::compileBranches(Expr e, LaneInstruction instruction) {
    instruction.args[0] = compile(e->arg(0), instruction.mask);
    const auto branch = [&](size_t i, bool holds) {
        if (safe(e->arg(i))) return compile(e->arg(i), kUnmasked);
        return compile(e->arg(i), addMask(instruction.args[0], holds, instruction.mask));
    };
    instruction.args[1] = branch(1, e->kind != ExprKind::Or);
    if (e->argCount == 3) {
        instruction.expr = ExprKind::Select;
        instruction.args[2] = branch(2, false);
    }
    return append(instruction);
}

int LaneCompiler::compileLoad(Expr e, int mask) {
    LaneLoad load;
    load.symbol = e->symbol;
    load.value = &valueOf(e);
    load.elements = static_cast<int64_t>(load.value->size());
    LaneInstruction instruction;
    instruction.expr = ExprKind::Load;
    instruction.dtype = e->dtype;
    instruction.mask = mask;
    if (const auto offset = affineOffset(e, m_ranges)) {
        load.affine = true;
        load.inside = offset->staysInside(load.elements);
        if (!load.inside && mask == kUnmasked) m_program.failOutside(load);
        load.base = offset->base;
        load.lanes.assign(static_cast<size_t>(m_program.m_nest.lanes()), 0);
        for (size_t axis = 0; axis < offset->strides.size(); ++axis) {
            const int64_t stride = offset->strides[axis];
            if (stride == 0) continue;
            instruction.level = std::max(instruction.level, m_program.m_nest.loopOf(axis));
            if (m_program.m_nest.loopOf(axis) >= 0) load.terms.emplace_back(axis, stride);
            if (!m_program.m_nest.isLane(axis)) continue;
            instruction.varying = true;
            for (int lane = 0; lane < m_program.m_nest.lanes(); ++lane)
                load.lanes[static_cast<size_t>(lane)] += stride * m_program.m_nest.laneValue(axis, lane);
        }
        load.contiguous = true;
        for (int64_t lane = 0; lane < m_program.m_nest.lanes(); ++lane)
            if (load.lanes[static_cast<size_t>(lane)] != lane) load.contiguous = false;
    } else {
        for (const Expr index : e->operands()) load.indices.push_back(compile(index, mask));
    }
    instruction.load = static_cast<int>(m_program.m_loads.size());
    m_program.m_loads.push_back(std::move(load));
    return append(instruction);
}

} // namespace loopscope
