#include "search/features/op_counts.h"

namespace loopscope {

namespace {

enum Counter : uint8_t { Mad, AddSub, Mul, DivMod, Cmp, MathFunc, OtherFunc, kPerClass, BoolOp = 14, SelectOp = 15 };

void count(Expr e, bool fuse, std::array<double, 16> &counts) {
    const auto one = [&](Counter counter, DType type) {
        counts[counter + (isFloat(type) ? 0 : static_cast<size_t>(kPerClass))] += 1;
    };
    switch (e->kind) {
    case ExprKind::Add:
    case ExprKind::Sub: {
        const bool mad = fuse && (e->arg(0)->kind == ExprKind::Mul || e->arg(1)->kind == ExprKind::Mul);
        one(mad ? Mad : AddSub, e->dtype);
        if (mad) counts[Mul + (isFloat(e->dtype) ? 0 : static_cast<size_t>(kPerClass))] -= 1;
        break;
    }
    case ExprKind::Mul:
        one(Mul, e->dtype);
        break;
    case ExprKind::Div:
    case ExprKind::Mod:
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod:
        one(DivMod, e->dtype);
        break;
    case ExprKind::Min:
    case ExprKind::Max:
    case ExprKind::Eq:
    case ExprKind::Ne:
    case ExprKind::Lt:
    case ExprKind::Le:
    case ExprKind::Gt:
    case ExprKind::Ge:
        one(Cmp, e->arg(0)->dtype);
        break;
    case ExprKind::And:
    case ExprKind::Or:
    case ExprKind::Not:
        counts[BoolOp] += 1;
        break;
    case ExprKind::Select:
        counts[SelectOp] += 1;
        break;
    case ExprKind::Call:
        one(MathFunc, e->dtype);
        break;
    default:
        break;
    }
    for (const Expr operand : e->operands()) count(operand, fuse, counts);
}

} // namespace

double OpCounts::floatOps() const {
    double sum = count[Mad]; // once as a product, once as a sum
    for (size_t i = 0; i < kPerClass; ++i) sum += count[i];
    return sum;
}

OpCounts countOps(Expr e, bool fuse) {
    OpCounts result;
    count(e, fuse, result.count);
    return result;
}

} // namespace loopscope
