// Node constructors: exactly the node asked for, no folding.

#include "base/check.h"
#include "language/expr/expr.h"
#include "language/expr/half.h"

#include <algorithm>
#include <array>

namespace loopscope {

namespace {

struct IntrinsicRow {
    std::string_view name;
    int arity;
};
constexpr std::array<IntrinsicRow, 31> kIntrinsics = {{
    {"if_then_else", 3}, {"exp", 1},         {"exp2", 1},        {"exp10", 1},      {"log", 1},
    {"log2", 1},         {"log10", 1},       {"sqrt", 1},        {"rsqrt", 1},      {"tanh", 1},
    {"sigmoid", 1},      {"erf", 1},         {"sin", 1},         {"cos", 1},        {"tan", 1},
    {"atan", 1},         {"fabs", 1},        {"floor", 1},       {"ceil", 1},       {"round", 1},
    {"trunc", 1},        {"pow", 2},         {"fmod", 2},        {"isnan", 1},      {"popcount", 1},
    {"shift_left", 2},   {"shift_right", 2}, {"bitwise_and", 2}, {"bitwise_or", 2}, {"bitwise_xor", 2},
    {"shuffle_xor", 2},
}};
static_assert(static_cast<size_t>(Intrinsic::ShuffleXor) + 1 == kIntrinsics.size());

ExprNode *newNode(ExprKind kind, DType type, size_t argCount) {
    auto &arena = ExprArena::current();
    auto *node = static_cast<ExprNode *>(arena.allocate(sizeof(ExprNode), alignof(ExprNode)));
    node->kind = kind;
    node->dtype = type;
    node->intrinsic = Intrinsic::IfThenElse;
    node->argCount = static_cast<uint32_t>(argCount);
    node->intValue = 0;
    node->args = argCount == 0 ? nullptr : arena.allocateArray<Expr>(argCount);
    return node;
}

Expr *argsOf(ExprNode *node) { return const_cast<Expr *>(node->args); }

} // namespace

std::string_view intrinsicName(Intrinsic intrinsic) { return kIntrinsics[static_cast<size_t>(intrinsic)].name; }
int intrinsicArity(Intrinsic intrinsic) { return kIntrinsics[static_cast<size_t>(intrinsic)].arity; }

Expr makeInt(int64_t value, DType type) {
    LOOPSCOPE_CHECK(!isFloat(type), "integer constant of a float type");
    ExprNode *node = newNode(ExprKind::IntImm, type, 0);
    node->intValue = wrapToType(value, type);
    return Expr(node);
}

Expr makeBool(bool value) { return makeInt(value ? 1 : 0, DType::Bool); }

Expr makeFloat(double value, DType type) {
    LOOPSCOPE_CHECK(isFloat(type), "float constant of an integer type");
    ExprNode *node = newNode(ExprKind::FloatImm, type, 0);
    node->floatValue = roundToType(value, type);
    return Expr(node);
}

Expr makeVar(std::string_view name, DType type) {
    ExprNode *node = newNode(ExprKind::Var, type, 0);
    node->text = ExprArena::current().copy(name).data();
    return Expr(node);
}

Expr makeUnary(ExprKind kind, Expr a) {
    ExprNode *node = newNode(kind, a->dtype, 1);
    argsOf(node)[0] = a;
    return Expr(node);
}

Expr makeBinary(ExprKind kind, Expr a, Expr b) {
    LOOPSCOPE_CHECK(isBinary(kind), "not a binary kind");
    const bool logical = isComparison(kind) || kind == ExprKind::And || kind == ExprKind::Or;
    ExprNode *node = newNode(kind, logical ? DType::Bool : a->dtype, 2);
    argsOf(node)[0] = a;
    argsOf(node)[1] = b;
    return Expr(node);
}

Expr makeCastNode(DType type, Expr a) {
    ExprNode *node = newNode(ExprKind::Cast, type, 1);
    argsOf(node)[0] = a;
    return Expr(node);
}

Expr makeSelectNode(Expr condition, Expr yes, Expr no) {
    ExprNode *node = newNode(ExprKind::Select, yes->dtype, 3);
    argsOf(node)[0] = condition;
    argsOf(node)[1] = yes;
    argsOf(node)[2] = no;
    return Expr(node);
}

Expr makeCall(Intrinsic intrinsic, DType type, std::span<const Expr> args) {
    LOOPSCOPE_CHECK(static_cast<int>(args.size()) == intrinsicArity(intrinsic), std::string(intrinsicName(intrinsic)));
    ExprNode *node = newNode(ExprKind::Call, type, args.size());
    node->intrinsic = intrinsic;
    std::copy(args.begin(), args.end(), argsOf(node));
    return Expr(node);
}

Expr makeLoad(const TensorSymbol &symbol, std::span<const Expr> indices) {
    ExprNode *node = newNode(ExprKind::Load, symbol.dtype, indices.size());
    node->symbol = &symbol;
    std::copy(indices.begin(), indices.end(), argsOf(node));
    return Expr(node);
}

Expr makeLet(Expr var, Expr value, Expr body) {
    ExprNode *node = newNode(ExprKind::Let, body->dtype, 3);
    argsOf(node)[0] = var;
    argsOf(node)[1] = value;
    argsOf(node)[2] = body;
    return Expr(node);
}

} // namespace loopscope
