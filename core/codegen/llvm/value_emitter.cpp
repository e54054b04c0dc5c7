#include "codegen/llvm/value_emitter.h"

#include "base/check.h"
#include "codegen/llvm/emit_module.h"
#include "language/expr/walk.h"

#include <llvm/IR/Intrinsics.h>

namespace loopscope {

namespace {

/// What an if_then_else costs when both sides are computed.
struct SideCost {
    int nodes = 0;
    bool hasLoad = false;
    bool expensive = false; // a library call or an integer division
};

SideCost costOf(Expr e) {
    SideCost cost;
    postOrder(e, [&](Expr node) {
        ++cost.nodes;
        if (node->kind == ExprKind::Load) cost.hasLoad = true;
        if (node->kind == ExprKind::Call && node->intrinsic != Intrinsic::IfThenElse &&
            node->intrinsic != Intrinsic::Fabs && node->intrinsic != Intrinsic::Floor)
            cost.expensive = true;
        const bool divides = node->kind >= ExprKind::Div && node->kind <= ExprKind::FloorMod;
        if (divides && !isImm(node->arg(1))) cost.expensive = true;
    });
    return cost;
}

} // namespace

ValueEmitter::ValueEmitter(EmitContext &context, ModuleFrame &frame, ElementTypes &types, MathCalls &math,
                           IndexForms &forms, MemoryEmitter &memory)
    : m_builder(context.builder), m_lanes(context.lanes), m_frame(frame), m_types(types), m_math(math), m_forms(forms),
      m_memory(memory) {}

bool ValueEmitter::dependsOnLane(Expr e) const {
    if (m_lanes.width() == 1) return false;
    bool found = false;
    postOrder(e, [&](Expr node) {
        if (found) return;
        if (node->kind == ExprKind::Var)
            found = m_forms.variesByLane(node);
        else if (node->kind == ExprKind::Load)
            found = m_memory.hasLaneCopies(*static_cast<const Buffer *>(node->symbol));
    });
    return found;
}

llvm::Value *ValueEmitter::emit(Expr e) {
    switch (e->kind) {
    case ExprKind::IntImm:
        return llvm::ConstantInt::get(m_types.valueType(e->dtype), uint64_t(e->intValue), true);
    case ExprKind::FloatImm:
        return llvm::ConstantFP::get(m_types.valueType(e->dtype), e->floatValue);
    case ExprKind::Var:
        return emitVariable(e);
    case ExprKind::Cast:
        return m_types.cast(emit(e->arg(0)), e->arg(0)->dtype, e->dtype);
    case ExprKind::Eq:
    case ExprKind::Ne:
    case ExprKind::Lt:
    case ExprKind::Le:
    case ExprKind::Gt:
    case ExprKind::Ge:
        return emitComparison(e);
    case ExprKind::And:
    case ExprKind::Or:
        return emitLogical(e);
    case ExprKind::Not:
        return m_builder.CreateNot(emit(e->arg(0)));
    case ExprKind::Select:
        return emitSelect(e);
    case ExprKind::Call:
        return e->intrinsic == Intrinsic::IfThenElse ? emitIfThenElse(e) : emitCall(e);
    case ExprKind::Load:
        return m_memory.load(e);
    case ExprKind::Let:
        return emitLet(e);
    default:
        return emitBinary(e);
    }
}

llvm::Value *ValueEmitter::emitVariable(Expr e) {
    if (llvm::Value *value = m_forms.boundValue(e)) return m_lanes.laneOf(value);
    LinearIndex form;
    m_forms.tryForm(e, form);
    return m_forms.valueOf(form, m_types.valueType(e->dtype));
}

llvm::Value *ValueEmitter::emitCall(Expr e) {
    llvm::SmallVector<llvm::Value *, 2> args;
    for (Expr operand : e->operands()) args.push_back(emit(operand));
    if (args.size() == 2) m_lanes.matchShapes(args[0], args[1]);
    return m_math.emit(e, args);
}

llvm::Value *ValueEmitter::emitBinary(Expr e) {
    llvm::Value *a = emit(e->arg(0));
    llvm::Value *b = emit(e->arg(1));
    m_lanes.matchShapes(a, b);
    if (e->kind >= ExprKind::Div && e->kind <= ExprKind::FloorMod && !isFloat(e->dtype)) return emitDivision(e, a, b);
    return m_types.roundTo(emitArithmetic(e->kind, e->dtype, a, b), e->dtype);
}

/// Divided by 0 a number is 0, and the least one by -1 wraps; processors fault at both, so that by these two numbers
/// nothing is divided.
llvm::Value *ValueEmitter::emitDivision(Expr e, llvm::Value *a, llvm::Value *b) {
    const bool isSigned = !isUnsigned(e->dtype);
    const Interval divisors = m_forms.rangeOf(e->arg(1));
    const Interval special = {isSigned ? -1 : 0, 0};
    if (intersect(divisors, special).empty()) return emitArithmetic(e->kind, e->dtype, a, divisor(b));
    llvm::Value *zero = llvm::Constant::getNullValue(b->getType());
    llvm::Value *one = llvm::ConstantInt::get(b->getType(), 1);
    llvm::Value *isSpecial =
        isSigned ? m_builder.CreateICmpULE(m_builder.CreateAdd(b, one), one) : m_builder.CreateICmpEQ(b, zero);
    llvm::Value *result = emitArithmetic(e->kind, e->dtype, a, m_builder.CreateSelect(isSpecial, one, b));
    if (e->kind == ExprKind::Mod || e->kind == ExprKind::FloorMod) return result;
    return m_builder.CreateSelect(isSpecial, m_builder.CreateMul(a, b), result);
}

llvm::Value *ValueEmitter::divisor(llvm::Value *b) {
    // Lanes that must not act may hold a zero.
    if (!m_lanes.mask() || llvm::isa<llvm::Constant>(b)) return b;
    llvm::Value *one = llvm::ConstantInt::get(b->getType(), 1);
    llvm::Value *mask = m_lanes.mask();
    if (!Lanes::isVector(b) && Lanes::isVector(mask)) mask = m_builder.CreateOrReduce(mask);
    return m_builder.CreateSelect(mask, b, one);
}

llvm::Value *ValueEmitter::emitArithmetic(ExprKind kind, DType type, llvm::Value *a, llvm::Value *b) {
    const bool real = isFloat(type);
    const bool isSigned = !isUnsigned(type);
    const auto floorReal = [&](llvm::Value *v) { return m_builder.CreateUnaryIntrinsic(llvm::Intrinsic::floor, v); };
    switch (kind) {
    case ExprKind::Add:
        return real ? m_builder.CreateFAdd(a, b) : m_builder.CreateAdd(a, b);
    case ExprKind::Sub:
        return real ? m_builder.CreateFSub(a, b) : m_builder.CreateSub(a, b);
    case ExprKind::Mul:
        return real ? m_builder.CreateFMul(a, b) : m_builder.CreateMul(a, b);
    case ExprKind::Div:
        if (real) return m_builder.CreateFDiv(a, b);
        return isSigned ? m_builder.CreateSDiv(a, b) : m_builder.CreateUDiv(a, b);
    case ExprKind::Mod:
        if (real && m_frame.onGpu()) throw ProgramRefused{"no PTX for the rest of a division of floats"};
        if (real) return m_builder.CreateFRem(a, b);
        return isSigned ? m_builder.CreateSRem(a, b) : m_builder.CreateURem(a, b);
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod: {
        const bool quotient = kind == ExprKind::FloorDiv;
        if (real) {
            llvm::Value *floored = floorReal(m_builder.CreateFDiv(a, b));
            return quotient ? floored : m_builder.CreateFSub(a, m_builder.CreateFMul(floored, b));
        }
        if (!isSigned) return quotient ? m_builder.CreateUDiv(a, b) : m_builder.CreateURem(a, b);
        // Truncated, then corrected where the remainder has the other sign than the divisor.
        llvm::Value *zero = llvm::Constant::getNullValue(a->getType());
        llvm::Value *rest = m_builder.CreateSRem(a, b);
        llvm::Value *opposite = m_builder.CreateICmpSLT(m_builder.CreateXor(rest, b), zero);
        llvm::Value *adjust = m_builder.CreateAnd(m_builder.CreateICmpNE(rest, zero), opposite);
        if (quotient)
            return m_builder.CreateAdd(m_builder.CreateSDiv(a, b), m_builder.CreateSExt(adjust, a->getType()));
        return m_builder.CreateSelect(adjust, m_builder.CreateAdd(rest, b), rest);
    }
    case ExprKind::Min:
    case ExprKind::Max: {
        const bool isMin = kind == ExprKind::Min;
        if (real) { // what is no number stays, see lower_extremes.h; GPUs have an instruction, from sm_80 on
            const llvm::IRBuilder<>::FastMathFlagGuard guard(m_builder);
            llvm::FastMathFlags flags = m_builder.getFastMathFlags();
            flags.setNoSignedZeros();
            m_builder.setFastMathFlags(flags);
            return m_builder.CreateBinaryIntrinsic(isMin ? llvm::Intrinsic::minimum : llvm::Intrinsic::maximum, a, b);
        }
        llvm::Value *first = nullptr;
        if (isSigned)
            first = isMin ? m_builder.CreateICmpSLT(a, b) : m_builder.CreateICmpSGT(a, b);
        else
            first = isMin ? m_builder.CreateICmpULT(a, b) : m_builder.CreateICmpUGT(a, b);
        return m_builder.CreateSelect(first, a, b);
    }
    default:
        LOOPSCOPE_CHECK(false, "not an arithmetic expression");
    }
}

llvm::Value *ValueEmitter::emitComparison(Expr e) {
    using P = llvm::CmpInst::Predicate;
    const int which = static_cast<int>(e->kind) - static_cast<int>(ExprKind::Eq); // Eq Ne Lt Le Gt Ge
    constexpr P ordered[] = {P::FCMP_OEQ, P::FCMP_UNE, P::FCMP_OLT, P::FCMP_OLE, P::FCMP_OGT, P::FCMP_OGE};
    constexpr P withSign[] = {P::ICMP_EQ, P::ICMP_NE, P::ICMP_SLT, P::ICMP_SLE, P::ICMP_SGT, P::ICMP_SGE};
    constexpr P noSign[] = {P::ICMP_EQ, P::ICMP_NE, P::ICMP_ULT, P::ICMP_ULE, P::ICMP_UGT, P::ICMP_UGE};
    const DType type = e->arg(0)->dtype;
    const bool index = type == DType::Int32 || type == DType::Int64;
    if (index && !containsLoad(e)) {
        LinearIndex difference;
        LinearIndex right;
        if (m_forms.tryForm(e->arg(0), difference) && m_forms.tryForm(e->arg(1), right)) {
            difference.add(right, -1);
            const Interval range = m_forms.rangeOf(difference);
            if (range.saturated()) return emitPlainComparison(e, withSign[which]);
            const auto holds = [&](int64_t v) {
                constexpr auto sign = [](int64_t x) { return x < 0 ? -1 : x > 0 ? 1 : 0; };
                switch (e->kind) {
                case ExprKind::Eq:
                    return sign(v) == 0;
                case ExprKind::Ne:
                    return sign(v) != 0;
                case ExprKind::Lt:
                    return sign(v) < 0;
                case ExprKind::Le:
                    return sign(v) <= 0;
                case ExprKind::Gt:
                    return sign(v) > 0;
                default:
                    return sign(v) >= 0;
                }
            };
            // Decided when both ends agree and no value between them can differ (equality: only points or one side).
            const bool sameSide = range.min > 0 || range.max < 0 || range.isPoint();
            const bool monotone = e->kind != ExprKind::Eq && e->kind != ExprKind::Ne;
            if ((sameSide || monotone) && holds(range.min) == holds(range.max))
                return m_builder.getInt1(holds(range.min));
            // As narrow as the range allows: masks of 32-bit lanes fit 32-bit data.
            const bool narrow = range.inside(Interval::ofType(DType::Int32));
            llvm::Type *scalar = narrow && difference.lane != 0 ? m_builder.getInt32Ty() : m_builder.getInt64Ty();
            llvm::Value *value = nullptr;
            llvm::Value *limit = nullptr;
            if (difference.lane == 0) {
                limit = m_builder.getInt64(-difference.constant);
                difference.constant = 0;
                value = m_forms.scalarOf(difference);
            } else {
                value = m_forms.valueOf(difference, scalar);
                limit = llvm::Constant::getNullValue(value->getType());
            }
            return m_builder.CreateICmp(withSign[which], value, limit);
        }
    }
    return emitPlainComparison(e, isFloat(type) ? ordered[which] : isUnsigned(type) ? noSign[which] : withSign[which]);
}

llvm::Value *ValueEmitter::emitPlainComparison(Expr e, llvm::CmpInst::Predicate predicate) {
    llvm::Value *a = emit(e->arg(0));
    llvm::Value *b = emit(e->arg(1));
    m_lanes.matchShapes(a, b);
    return m_builder.CreateCmp(predicate, a, b);
}

llvm::Value *ValueEmitter::emitLogical(Expr e) {
    const bool isAnd = e->kind == ExprKind::And;
    llvm::Value *a = emit(e->arg(0));
    if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(a)) return known->isOne() == isAnd ? emit(e->arg(1)) : a;
    // The first operand may be what makes the second one's loads legal.
    llvm::Value *b = containsLoad(e->arg(1)) ? underMask(a, !isAnd, e->arg(1)) : emit(e->arg(1));
    m_lanes.matchShapes(a, b);
    return isAnd ? m_builder.CreateAnd(a, b) : m_builder.CreateOr(a, b);
}

llvm::Value *ValueEmitter::emitSelect(Expr e) {
    llvm::Value *condition = emit(e->arg(0));
    llvm::Value *yes = emit(e->arg(1));
    llvm::Value *no = emit(e->arg(2));
    m_lanes.matchShapes(yes, no);
    if (Lanes::isVector(condition)) {
        yes = m_lanes.splat(yes);
        no = m_lanes.splat(no);
    }
    return m_builder.CreateSelect(condition, yes, no);
}

llvm::Value *ValueEmitter::underMask(llvm::Value *condition, bool negated, Expr e) {
    const Lanes::Scope scope = m_lanes.where(negated ? m_builder.CreateNot(condition) : condition);
    return emit(e);
}

llvm::Value *ValueEmitter::emitIfThenElse(Expr e) {
    llvm::Value *condition = emit(e->arg(0));
    if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(condition)) return emit(e->arg(known->isOne() ? 1 : 2));
    const SideCost yesCost = costOf(e->arg(1));
    const SideCost noCost = costOf(e->arg(2));
    const bool loads = yesCost.hasLoad || noCost.hasLoad;
    const bool expensive = yesCost.expensive || noCost.expensive;
    llvm::Value *yes = nullptr;
    llvm::Value *no = nullptr;
    if (!Lanes::isVector(condition)) {
        // A load of a padded input: reading the buffer's first element instead is cheaper than a branch.
        constexpr int cheapNodes = 24;
        const bool scalarCheap = m_lanes.width() == 1 && yesCost.nodes + noCost.nodes <= cheapNodes;
        if (expensive || (loads && !scalarCheap)) return emitBranchValue(e, condition);
    }
    yes = loads || expensive ? underMask(condition, false, e->arg(1)) : emit(e->arg(1));
    no = loads || expensive ? underMask(condition, true, e->arg(2)) : emit(e->arg(2));
    m_lanes.matchShapes(yes, no);
    if (Lanes::isVector(condition)) {
        yes = m_lanes.splat(yes);
        no = m_lanes.splat(no);
    }
    return m_builder.CreateSelect(condition, yes, no);
}

llvm::Value *ValueEmitter::emitBranchValue(Expr e, llvm::Value *condition) {
    auto *thenBlock = m_frame.newBlock("then");
    auto *elseBlock = m_frame.newBlock("else");
    auto *join = m_frame.newBlock("join");
    m_builder.CreateCondBr(condition, thenBlock, elseBlock);
    // Both sides to one shape: a vector as soon as one of them is.
    const bool vector = m_lanes.width() > 1 && (dependsOnLane(e->arg(1)) || dependsOnLane(e->arg(2)));
    const auto side = [&](llvm::BasicBlock *&block, Expr value) {
        const IndexForms::Scope scope(m_forms);
        m_builder.SetInsertPoint(block);
        llvm::Value *result = emit(value);
        if (vector) result = m_lanes.splat(result);
        block = m_builder.GetInsertBlock();
        m_builder.CreateBr(join);
        return result;
    };
    llvm::Value *yes = side(thenBlock, e->arg(1));
    llvm::Value *no = side(elseBlock, e->arg(2));
    LOOPSCOPE_CHECK(yes->getType() == no->getType(), "the sides of an if_then_else differ in shape: " + toText(e));
    m_builder.SetInsertPoint(join);
    llvm::PHINode *phi = m_builder.CreatePHI(yes->getType(), 2);
    phi->addIncoming(yes, thenBlock);
    phi->addIncoming(no, elseBlock);
    return phi;
}

llvm::Value *ValueEmitter::emitLet(Expr e) {
    m_forms.bindTo(e->arg(0), e->arg(1));
    llvm::Value *value = emit(e->arg(2));
    m_forms.unbind(e->arg(0));
    return value;
}

} // namespace loopscope
