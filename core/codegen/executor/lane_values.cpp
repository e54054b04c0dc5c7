#include "codegen/executor/lane_values.h"

#include "base/check.h"
#include "language/expr/walk.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <limits>

namespace loopscope {

namespace {

/// Something in it goes wrong for values it is not meant for: it must not be computed for nothing.
bool mayFail(Expr e) {
    bool found = false;
    postOrder(e, [&](Expr inner) {
        found = found || inner->kind == ExprKind::Load ||
                (inner->kind == ExprKind::Call && inner->intrinsic == Intrinsic::ShuffleXor);
    });
    return found;
}

DType integerOf(LaneKind kind) { return kind == LaneKind::Int64 ? DType::Int64 : DType::Int32; }

} // namespace

LaneKind laneKindOf(DType type) {
    switch (type) {
    case DType::Int64:
    case DType::UInt32: // has values that 32 bits with a sign do not hold
        return LaneKind::Int64;
    case DType::Float64:
        return LaneKind::Float64;
    case DType::Float16:
    case DType::BFloat16:
    case DType::Float32:
        return LaneKind::Float32;
    default:
        return LaneKind::Int32;
    }
}

// --- Levels ---------------------------------------------------------------------------------------------------------

void LaneValues::openLevel() { m_levels.emplace_back(); }

std::vector<SimtInstruction> LaneValues::closeLevel() {
    Level level = std::move(m_levels.back());
    m_levels.pop_back();
    for (const auto &key : level.values) m_values.erase(key);
    level.prologue.insert(level.prologue.end(), level.body.begin(), level.body.end());
    return std::move(level.prologue);
}

void LaneValues::beginStatement(int32_t stmt) {
    m_stmt = stmt;
    m_read.clear();
    m_scratch = 0;
}

// --- Registers ------------------------------------------------------------------------------------------------------

int32_t LaneValues::newRegister(DType type, bool varying, Known known) {
    SimtRegister reg;
    reg.kind = laneKindOf(type);
    reg.varying = varying;
    reg.scratch = known.inBody;
    if (varying) {
        int32_t &top = reg.scratch ? m_scratch : m_kernel.rows;
        reg.row = top;
        top += isWide(reg.kind) ? 2 : 1;
        m_kernel.scratchRows = std::max(m_kernel.scratchRows, m_scratch);
    }
    m_kernel.registers.push_back(reg);
    m_known.push_back(known);
    return static_cast<int32_t>(m_kernel.registers.size()) - 1;
}

int32_t LaneValues::constant(int64_t value, DType type) {
    const auto [at, fresh] = m_integers.try_emplace({static_cast<int>(laneKindOf(type)), value}, -1);
    if (fresh) {
        at->second = newRegister(type, false, {});
        m_kernel.constants.push_back({at->second, value, 0});
    }
    return at->second;
}

int32_t LaneValues::addVariable(Expr var, bool varying, Interval range) {
    const int32_t reg = newRegister(var->dtype, varying, {static_cast<int32_t>(m_levels.size()) - 1, false});
    bind(var, reg, range);
    return reg;
}

void LaneValues::bind(Expr var, int32_t reg, Interval range) {
    m_variables[var.node()] = reg;
    m_ranges.push_back({var.node(), range});
    Known &known = m_known[static_cast<size_t>(reg)];
    if (known.inBody) known = {static_cast<int32_t>(m_levels.size()) - 1, false};
}

int32_t LaneValues::lasting(int32_t reg, DType type) {
    if (!m_known[static_cast<size_t>(reg)].inBody) return reg;
    SimtInstruction in;
    in.op = SimtOp::Copy;
    in.dtype = in.operand = type;
    in.args[0] = reg;
    in.varying = varying(reg);
    in.dst = newRegister(type, in.varying, {});
    m_known.back() = {static_cast<int32_t>(m_levels.size()) - 1, true};
    body().push_back(in);
    return in.dst;
}

int32_t LaneValues::emit(SimtInstruction in) {
    in.stmt = m_stmt;
    Known known;
    for (const int32_t arg : in.args) {
        if (arg < 0) continue;
        in.varying = in.varying || varying(arg);
        known.level = std::max(known.level, m_known[static_cast<size_t>(arg)].level);
        known.inBody = known.inBody || m_known[static_cast<size_t>(arg)].inBody;
    }
    if (in.op != SimtOp::Value || known.inBody) {
        in.dst = newRegister(in.dtype, in.varying, {static_cast<int32_t>(m_levels.size()) - 1, true});
        body().push_back(in);
        return in.dst;
    }
    const auto number = [](auto value) { return static_cast<int>(value); };
    const std::tuple<int, int, int, int, int, int> key = {number(in.expr) * 256 + number(in.intrinsic),
                                                          number(in.dtype),
                                                          number(in.operand),
                                                          in.args[0],
                                                          in.args[1],
                                                          in.args[2]};
    const auto [at, fresh] = m_values.try_emplace(key, -1);
    if (fresh) {
        Level &level = m_levels[static_cast<size_t>(known.level)];
        at->second = in.dst = newRegister(in.dtype, in.varying, known);
        level.prologue.push_back(in);
        level.values.push_back(key);
    }
    return at->second;
}

// --- Values ---------------------------------------------------------------------------------------------------------

int32_t LaneValues::value(ExprKind kind, DType type, DType operand, int32_t a, int32_t b, int32_t c,
                          Intrinsic intrinsic) {
    SimtInstruction in;
    in.expr = kind;
    in.intrinsic = intrinsic;
    in.dtype = type;
    in.operand = operand;
    in.args = {a, b, c};
    return emit(in);
}

int32_t LaneValues::cast(int32_t reg, DType from, DType to) {
    if (from == to) return reg;
    return value(ExprKind::Cast, to, from, reg);
}

int32_t LaneValues::compile(Expr e) {
    switch (e->kind) {
    case ExprKind::IntImm:
        return constant(e->intValue, e->dtype);
    case ExprKind::FloatImm: {
        const auto bits = std::bit_cast<int64_t>(e->floatValue);
        const auto [at, fresh] = m_integers.try_emplace({static_cast<int>(laneKindOf(e->dtype)), bits}, -1);
        if (fresh) {
            at->second = newRegister(e->dtype, false, {});
            m_kernel.constants.push_back({at->second, 0, e->floatValue});
        }
        return at->second;
    }
    case ExprKind::Var: {
        const auto found = m_variables.find(e.node());
        if (found == m_variables.end())
            throw NotExecutable{fmt::format("`{}` is used where it has no value", e->name())};
        return found->second;
    }
    default:
        break;
    }
    for (const auto &[node, reg] : m_read)
        if (node == e.node()) return reg;
    const int32_t reg = compileNode(e);
    if (m_known[static_cast<size_t>(reg)].inBody) m_read.emplace_back(e.node(), reg);
    return reg;
}

int32_t LaneValues::compileNode(Expr e) {
    switch (e->kind) {
    case ExprKind::Load:
        return compileLoad(e);
    case ExprKind::Cast:
        return cast(compile(e->arg(0)), e->arg(0)->dtype, e->dtype);
    case ExprKind::And:
    case ExprKind::Or:
        return compileLogical(e);
    case ExprKind::Not:
        return value(e->kind, e->dtype, e->arg(0)->dtype, compile(e->arg(0)));
    case ExprKind::Select: {
        const int32_t condition = compile(e->arg(0));
        const int32_t yes = compile(e->arg(1));
        return value(ExprKind::Select, e->dtype, e->dtype, condition, yes, compile(e->arg(2)));
    }
    case ExprKind::Let: {
        const int32_t bound = compile(e->arg(1));
        m_variables[e->arg(0).node()] = bound;
        m_ranges.push_back({e->arg(0).node(), rangeOf(e->arg(1))});
        const int32_t reg = compile(e->arg(2));
        m_ranges.pop_back();
        return reg;
    }
    case ExprKind::Call: {
        if (e->intrinsic == Intrinsic::IfThenElse) return compileChoice(e->arg(0), e->arg(1), e->arg(2), e->dtype);
        std::array<int32_t, 2> args = {-1, -1};
        DType operand = e->arg(0)->dtype;
        LOOPSCOPE_CHECK(e->argCount <= 2, "functions have two operands at most");
        // Functions of floats take floats, whatever they were given.
        const bool widened = isFloat(e->dtype) && !isFloat(operand);
        for (size_t i = 0; i < e->argCount; ++i) {
            args[i] = compile(e->arg(i));
            if (widened && e->intrinsic != Intrinsic::ShuffleXor) args[i] = cast(args[i], e->arg(i)->dtype, e->dtype);
        }
        if (widened) operand = e->dtype;
        if (e->intrinsic != Intrinsic::ShuffleXor)
            return value(ExprKind::Call, e->dtype, operand, args[0], args[1], -1, e->intrinsic);
        SimtInstruction in;
        in.op = SimtOp::Shuffle;
        in.dtype = in.operand = e->dtype;
        in.args = {args[0], args[1], -1};
        in.varying = true;
        return emit(in);
    }
    default:
        break;
    }
    const int32_t a = compile(e->arg(0));
    const int32_t b = compile(e->arg(1));
    return value(e->kind, e->dtype, e->arg(0)->dtype, a, b);
}

int32_t LaneValues::compileChoice(Expr condition, Expr yes, Expr no, DType type) {
    const int32_t decides = compile(condition);
    const auto side = [&](Expr e, bool holds) {
        if (!mayFail(e)) return compile(e);
        const OpenMask mask = beginMask(decides, holds);
        const int32_t reg = compile(e);
        endMask(mask);
        return reg;
    };
    const int32_t first = side(yes, true);
    const int32_t second = side(no, false);
    return value(ExprKind::Select, type, type, decides, first, second);
}

int32_t LaneValues::compileLogical(Expr e) {
    const int32_t first = compile(e->arg(0));
    int32_t second = -1;
    if (mayFail(e->arg(1))) {
        const OpenMask mask = beginMask(first, e->kind == ExprKind::And);
        second = compile(e->arg(1));
        endMask(mask);
    } else {
        second = compile(e->arg(1));
    }
    return value(e->kind, e->dtype, DType::Bool, first, second);
}

// --- Masks ----------------------------------------------------------------------------------------------------------

LaneValues::OpenMask LaneValues::beginMask(int32_t condition, bool holds) {
    OpenMask open{body().size(), m_mask, varying(condition), m_read.size()};
    SimtInstruction in;
    in.op = open.lanes ? SimtOp::Mask : SimtOp::Branch;
    in.args[0] = condition;
    in.holds = holds;
    in.parent = m_mask;
    in.stmt = m_stmt;
    if (open.lanes) m_mask = in.slot = newSlot();
    body().push_back(in);
    return open;
}

void LaneValues::endMask(const OpenMask &mask) {
    m_read.resize(std::min(m_read.size(), mask.known)); // what was read for some lanes only
    if (mask.lanes) {
        SimtInstruction in;
        in.op = SimtOp::EndMask;
        in.parent = mask.parent;
        body().push_back(in);
    }
    m_mask = mask.parent;
    body()[mask.at].jump = static_cast<int32_t>(body().size() - mask.at);
}

// --- Memory ---------------------------------------------------------------------------------------------------------

void LaneValues::addLinear(Linear &sum, Expr e, int64_t factor) {
    switch (e->kind) {
    case ExprKind::IntImm:
        sum.base += factor * e->intValue;
        return;
    case ExprKind::Add:
        addLinear(sum, e->arg(0), factor);
        return addLinear(sum, e->arg(1), factor);
    case ExprKind::Sub:
        addLinear(sum, e->arg(0), factor);
        return addLinear(sum, e->arg(1), -factor);
    case ExprKind::Mul:
        for (const size_t i : {0, 1})
            if (e->arg(i)->kind == ExprKind::IntImm) return addLinear(sum, e->arg(1 - i), factor * e->arg(i)->intValue);
        break;
    default:
        break;
    }
    const int32_t reg = compile(e);
    if (isFloat(e->dtype)) throw NotExecutable{"an index is no integer: " + toText(e)};
    const auto found =
        std::find_if(sum.terms.begin(), sum.terms.end(), [&](const Term &term) { return term.reg == reg; });
    if (found == sum.terms.end())
        sum.terms.push_back({reg, factor});
    else
        found->factor += factor;
}

LaneSum LaneValues::laneSum(Linear sum) {
    // From the outermost level inward, so that as much as can be is added up there.
    std::stable_sort(sum.terms.begin(), sum.terms.end(), [&](const Term &a, const Term &b) {
        const Known &x = m_known[static_cast<size_t>(a.reg)];
        const Known &y = m_known[static_cast<size_t>(b.reg)];
        return std::make_pair(x.inBody, x.level) < std::make_pair(y.inBody, y.level);
    });
    LaneSum result;
    result.base = sum.base;
    for (const Term &term : sum.terms) {
        if (term.factor == 0) continue;
        const bool lanes = varying(term.reg);
        const DType type = lanes ? DType::Int32 : DType::Int64;
        int32_t reg = cast(term.reg, integerOf(m_kernel.registers[static_cast<size_t>(term.reg)].kind), type);
        if (term.factor != 1) reg = value(ExprKind::Mul, type, type, reg, constant(term.factor, type));
        int32_t &total = lanes ? result.varying : result.uniform;
        total = total < 0 ? reg : value(ExprKind::Add, type, type, total, reg);
    }
    return result;
}

int32_t LaneValues::bufferNumber(const Buffer &buffer) {
    for (size_t i = 0; i < m_kernel.buffers.size(); ++i)
        if (m_kernel.buffers[i].buffer == &buffer) return static_cast<int32_t>(i);
    if (buffer.elements() > std::numeric_limits<int32_t>::max())
        throw NotExecutable{fmt::format("{} has {} elements; the executor runs on buffers of less than 2^31",
                                        buffer.name, buffer.elements())};
    m_kernel.buffers.push_back({&buffer, false, false});
    return static_cast<int32_t>(m_kernel.buffers.size()) - 1;
}

int32_t LaneValues::addAccess(const Buffer &buffer, std::span<const Expr> indices, bool store) {
    constexpr size_t kMost = 60000; // the watch counts them in 16 bits
    if (m_kernel.accesses.size() >= kMost)
        throw NotExecutable{fmt::format("a kernel with more than {} loads and stores", kMost)};
    SimtAccess access;
    access.buffer = bufferNumber(buffer);
    access.store = store;
    access.stmt = m_stmt;
    Linear offset;
    for (size_t d = 0; d < indices.size(); ++d) {
        addLinear(offset, indices[d], buffer.strides[d]);
        if (rangeOf(indices[d]).inside(Interval::upTo(buffer.shape[d]))) continue;
        Linear index;
        addLinear(index, indices[d], 1);
        access.unsure.push_back({laneSum(std::move(index)), buffer.shape[d], static_cast<int32_t>(d)});
    }
    access.offset = laneSum(std::move(offset));
    SimtBuffer &used = m_kernel.buffers[static_cast<size_t>(access.buffer)];
    (store ? used.stored : used.loaded) = true;
    m_kernel.accesses.push_back(std::move(access));
    return static_cast<int32_t>(m_kernel.accesses.size()) - 1;
}

int32_t LaneValues::compileLoad(Expr e) {
    const auto &buffer = static_cast<const Buffer &>(*e->symbol);
    SimtInstruction in;
    in.op = SimtOp::Load;
    in.dtype = in.operand = e->dtype;
    in.access = addAccess(buffer, e->operands(), false);
    const SimtAccess &access = m_kernel.accesses[static_cast<size_t>(in.access)];
    in.varying = buffer.scope == MemoryScope::Local || access.offset.varying >= 0 ||
                 std::any_of(access.unsure.begin(), access.unsure.end(),
                             [](const CheckedDimension &d) { return d.index.varying >= 0; });
    return emit(in);
}

} // namespace loopscope
