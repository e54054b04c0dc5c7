#include "search/features/store_access.h"

#include "base/check.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>

namespace loopscope {

namespace {

int findLoop(const ExprNode *var, const std::vector<NestLoop> &loops) {
    for (size_t i = loops.size(); i > 0; --i)
        if (loops[i - 1].var == var) return static_cast<int>(i - 1);
    return -1;
}

uint64_t loopsIn(Expr e, const std::vector<NestLoop> &loops) {
    if (e->kind == ExprKind::Var) {
        const int loop = findLoop(e.node(), loops);
        return loop < 0 ? 0 : uint64_t{1} << loop;
    }
    uint64_t mask = 0;
    for (const Expr operand : e->operands()) mask |= loopsIn(operand, loops);
    return mask;
}

/// An index as constant + sum of coefficient x loop variable. Only the coefficients of `met` are ever written or read:
/// clearing all of them would cost more than finding them.
struct LinearIndex {
    const std::vector<NestLoop> &loops;
    std::array<int64_t, 64> &coefficients;
    int64_t constant = 0;
    uint64_t met = 0;

    /// Adds scale * e; false when e is not linear in the loop variables.
    bool add(Expr e, int64_t scale) {
        switch (e->kind) {
        case ExprKind::IntImm:
            constant += scale * e->intValue;
            return true;
        case ExprKind::Var: {
            const int found = findLoop(e.node(), loops);
            if (found < 0) return true;
            const auto loop = static_cast<size_t>(found);
            const uint64_t bit = uint64_t{1} << loop;
            coefficients[loop] = (met & bit) != 0 ? coefficients[loop] + scale : scale;
            met |= bit;
            return true;
        }
        case ExprKind::Cast:
            return isInteger(e->arg(0)->dtype) && add(e->arg(0), scale);
        case ExprKind::Add:
            return add(e->arg(0), scale) && add(e->arg(1), scale);
        case ExprKind::Sub:
            return add(e->arg(0), scale) && add(e->arg(1), -scale);
        case ExprKind::Mul:
            if (e->arg(1)->kind == ExprKind::IntImm) return add(e->arg(0), scale * e->arg(1)->intValue);
            if (e->arg(0)->kind == ExprKind::IntImm) return add(e->arg(1), scale * e->arg(0)->intValue);
            return false;
        default:
            return false;
        }
    }

    /// The loops that move the index: terms may have cancelled each other.
    [[nodiscard]] uint64_t moving() const {
        uint64_t mask = met;
        for (uint64_t rest = met; rest != 0; rest &= rest - 1)
            if (coefficients[static_cast<size_t>(std::countr_zero(rest))] == 0) mask &= ~(rest & -rest);
        return mask;
    }
};

struct Range {
    int64_t low;
    int64_t high;
};
constexpr int64_t kFar = int64_t{1} << 40; // "anything": far enough for every real tensor, safe to add up

int64_t floorDivide(int64_t a, int64_t b) {
    const int64_t q = a / b;
    return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}

int64_t clampFar(int64_t x) { return std::clamp(x, -kFar, kFar); }

/// Interval of an index with loops >= `from` over their ranges and the others at 0.
Range evaluate(Expr e, size_t from, const std::vector<NestLoop> &loops) {
    switch (e->kind) {
    case ExprKind::IntImm:
        return {e->intValue, e->intValue};
    case ExprKind::Var: {
        const int loop = findLoop(e.node(), loops);
        if (loop < 0 || static_cast<size_t>(loop) < from) return {0, 0};
        return {0, loops[static_cast<size_t>(loop)].extent - 1};
    }
    case ExprKind::Load:
        return {-kFar, kFar};
    default:
        break;
    }
    if (e->argCount == 0) return {-kFar, kFar};
    const Range a = evaluate(e->arg(0), from, loops);
    if (e->kind == ExprKind::Cast) return a;
    if (e->argCount < 2) return {-kFar, kFar};
    const Range b = evaluate(e->arg(1), from, loops);
    switch (e->kind) {
    case ExprKind::Add:
        return {clampFar(a.low + b.low), clampFar(a.high + b.high)};
    case ExprKind::Sub:
        return {clampFar(a.low - b.high), clampFar(a.high - b.low)};
    case ExprKind::Mul: {
        if (std::max(std::abs(a.low), std::abs(a.high)) >= kFar || std::max(std::abs(b.low), std::abs(b.high)) >= kFar)
            return {-kFar, kFar};
        const int64_t products[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
        return {clampFar(*std::min_element(products, products + 4)),
                clampFar(*std::max_element(products, products + 4))};
    }
    case ExprKind::FloorDiv:
    case ExprKind::Div:
        if (b.low == b.high && b.low > 0) return {floorDivide(a.low, b.low), floorDivide(a.high, b.low)};
        return {-kFar, kFar};
    case ExprKind::FloorMod:
    case ExprKind::Mod:
        if (b.low <= 0) return {-kFar, kFar};
        if (a.low >= 0) return a.high < b.low ? a : Range{0, std::min(a.high, b.high - 1)};
        return {e->kind == ExprKind::FloorMod ? 0 : 1 - b.high, b.high - 1};
    case ExprKind::Min:
        return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case ExprKind::Max:
        return {std::max(a.low, b.low), std::max(a.high, b.high)};
    case ExprKind::Select:
    case ExprKind::Call:
        if (e->argCount == 3) {
            const Range c = evaluate(e->arg(2), from, loops);
            return {std::min(b.low, c.low), std::max(b.high, c.high)};
        }
        return {-kFar, kFar};
    default:
        return {-kFar, kFar};
    }
}

/// Ansor's guess at the coefficient of a variable: what the left-to-right post-order walk meets first.
struct CoefficientWalk {
    const ExprNode *var;
    bool seen = false;
    bool product = false;
    bool sum = false;
    int64_t value = 0;

    void visit(Expr e) {
        if (e->kind == ExprKind::Var) {
            if (e.node() == var) {
                seen = true;
                value = 2;
            }
            return;
        }
        for (const Expr operand : e->operands()) visit(operand);
        if (!seen) return;
        if (e->kind == ExprKind::Mul && !sum) {
            const Expr constant = e->arg(0)->kind == ExprKind::IntImm ? e->arg(0) : e->arg(1);
            if (constant->kind == ExprKind::IntImm) {
                product = true;
                value = constant->intValue;
            }
        } else if (e->kind == ExprKind::Add && !product) {
            sum = true;
            value = 1;
        }
    }
    [[nodiscard]] int64_t result() const { return seen && !product && !sum ? 1 : value; }
};

} // namespace

IndexMotion AccessSet::motionOf(Expr e, const std::vector<NestLoop> &loops) {
    IndexMotion motion;
    motion.expr = e;
    if (m_coefficientsUsed == m_coefficients.size())
        m_coefficients.push_back(std::make_unique<std::array<int64_t, 64>>());
    LinearIndex index{loops, *m_coefficients[m_coefficientsUsed]};
    motion.linear = index.add(e, 1);
    motion.constant = index.constant;
    if (motion.linear) {
        motion.loops = index.moving();
        if (motion.loops != 0) {
            motion.coefficients = &index.coefficients;
            ++m_coefficientsUsed;
        }
    } else {
        motion.loops = loopsIn(e, loops);
    }
    return motion;
}

void AccessSet::add(const Buffer &buffer, AccessType type, std::span<const Expr> indices,
                    const std::vector<NestLoop> &loops) {
    size_t at = 0;
    while (at < m_used && m_accesses[at].buffer != &buffer) ++at;
    if (at == m_accesses.size()) m_accesses.emplace_back();
    BufferAccess *found = &m_accesses[at];
    if (at == m_used) {
        ++m_used;
        found->buffer = &buffer;
        found->type = type;
        found->loops = 0;
        found->rank = indices.size();
        found->indices.clear();
    }
    for (const Expr index : indices) {
        found->indices.push_back(motionOf(index, loops));
        found->loops |= found->indices.back().loops;
    }
}

void AccessSet::collectLoads(Expr e, const Buffer &stored, const std::vector<NestLoop> &loops) {
    if (e->kind == ExprKind::Load) {
        const auto &buffer = static_cast<const Buffer &>(*e->symbol);
        if (&buffer == &stored) {
            m_accesses.front().type = AccessType::ReadWrite;
        } else {
            add(buffer, AccessType::Read, e->operands(), loops);
        }
    }
    for (const Expr operand : e->operands()) collectLoads(operand, stored, loops);
}

void AccessSet::collect(const StmtNode &store, const std::vector<NestLoop> &loops) {
    LOOPSCOPE_CHECK(loops.size() <= 64, "a nest of more than 64 loops");
    m_used = 0;
    m_coefficientsUsed = 0;
    add(*store.buffer, AccessType::Write, store.index(), loops);
    collectLoads(store.value, *store.buffer, loops);
}

void AccessSet::fixAll() {
    for (auto &access : accesses())
        for (auto &index : access.indices) {
            if (index.linear) {
                index.low = index.high = index.constant;
            } else {
                static const std::vector<NestLoop> kNone;
                const Range range = evaluate(index.expr, 0, kNone);
                index.low = range.low;
                index.high = range.high;
            }
        }
}

void AccessSet::widen(size_t loop, const std::vector<NestLoop> &loops) {
    const uint64_t bit = uint64_t{1} << loop;
    for (auto &access : accesses()) {
        if ((access.loops & bit) == 0) continue;
        for (auto &index : access.indices) {
            if ((index.loops & bit) == 0) continue;
            if (index.linear) {
                const int64_t move = (*index.coefficients)[loop] * (loops[loop].extent - 1);
                (move < 0 ? index.low : index.high) += move;
            } else {
                const Range range = evaluate(index.expr, loop, loops);
                index.low = range.low;
                index.high = range.high;
            }
        }
    }
}

int64_t AccessSet::extentOf(const BufferAccess &access, size_t d) {
    int64_t low = access.indices[d].low;
    int64_t high = access.indices[d].high;
    for (size_t i = d + access.rank; i < access.indices.size(); i += access.rank) {
        low = std::min(low, access.indices[i].low);
        high = std::max(high, access.indices[i].high);
    }
    const int64_t extent = std::max<int64_t>(high - low + 1, 0);
    return extent > kFar ? access.buffer->shape[d] : extent; // an index nobody can bound may reach everything
}

int64_t AccessSet::touched(const BufferAccess &access) {
    int64_t product = 1;
    for (size_t d = 0; d < access.rank; ++d) product *= extentOf(access, d);
    return product;
}

int64_t AccessSet::stride(const BufferAccess &access, size_t loop, const std::vector<NestLoop> &loops, bool guess) {
    if (access.rank == 0) return 1;
    const uint64_t bit = uint64_t{1} << loop;
    if ((access.loops & bit) == 0) return 0;
    int64_t least = std::numeric_limits<int64_t>::max();
    for (size_t first = 0; first < access.indices.size(); first += access.rank) {
        int64_t step = 1;
        for (size_t d = access.rank; d > 0; --d) {
            const IndexMotion &index = access.indices[first + d - 1];
            if (index.loops & bit) {
                int64_t coefficient = 0;
                if (index.linear && !guess) {
                    coefficient = (*index.coefficients)[loop];
                } else {
                    CoefficientWalk walk{loops[loop].var};
                    walk.visit(index.expr);
                    coefficient = walk.result();
                }
                least = std::min(least, std::abs(coefficient) * step);
                break;
            }
            step *= access.buffer->shape[d - 1];
        }
    }
    return least == std::numeric_limits<int64_t>::max() ? 0 : least;
}

} // namespace loopscope
