#pragma once
// Scalar expressions: immutable nodes in an arena, passed around as plain handles. One node kind serves tensor
// expressions (loads of tensors) and lowered programs (loads of buffers): a load names a TensorSymbol and never looks
// inside it. Reductions are not expressions; they live on the operator that reduces (language/te/op.h).
//
// Semantics: integer division and modulo of `Div`/`Mod` truncate like C, `FloorDiv`/`FloorMod` round down (the divisor
// is positive in every index). Integer arithmetic wraps, the least value divided by -1, too. An integer divided by 0 is
// 0, and so is what is left; where that is the value of a stage it is a fault of the workload, which the interpreter
// tells (language/interpret/interpreter.h): elsewhere, as on the other side of a selection, nobody notices. Booleans
// are DType::Bool.

#include "language/expr/arena.h"
#include "language/expr/dtype.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

enum class ExprKind : uint8_t {
    IntImm,   // any integer or bool type; value()
    FloatImm, // any float type; floatValue()
    Var,
    Cast, // to dtype()
    Add,
    Sub,
    Mul,
    Div, // truncating for integers
    Mod, // truncating
    FloorDiv,
    FloorMod,
    Min,
    Max,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
    Not,
    Select, // evaluates both sides
    Call,   // of an Intrinsic; IfThenElse evaluates one side only
    Load,   // args are the indices
    Let,    // args: var, value, body
};

/// Pure functions callable in an expression; names print as `tir.NAME`.
enum class Intrinsic : uint8_t {
    IfThenElse,
    Exp,
    Exp2,
    Exp10,
    Log,
    Log2,
    Log10,
    Sqrt,
    Rsqrt,
    Tanh,
    Sigmoid,
    Erf,
    Sin,
    Cos,
    Tan,
    Atan,
    Fabs,
    Floor,
    Ceil,
    Round,
    Trunc,
    Pow,
    Fmod,
    Isnan,
    Popcount,
    ShiftLeft,
    ShiftRight,
    BitwiseAnd,
    BitwiseOr,
    BitwiseXor,
    // Made by lowering alone, not to be written in a workload (the language's names end before it):
    ShuffleXor, // (value, mask): the value that thread `lane ^ mask` of the warp has; all its threads come by
};

std::string_view intrinsicName(Intrinsic intrinsic); // "exp", "if_then_else", ...
int intrinsicArity(Intrinsic intrinsic);

/// What a load refers to: a tensor (te) or a buffer (loop_ir), which derive from it. Address is identity.
struct TensorSymbol {
    std::string name;
    DType dtype = DType::Float32;
    std::vector<int64_t> shape;
};

struct ExprNode;

/// Handle of an immutable node; null until assigned.
class Expr {
  public:
    Expr() = default;
    explicit Expr(const ExprNode *node) : m_node(node) {}

    explicit operator bool() const { return m_node != nullptr; }
    const ExprNode *operator->() const { return m_node; }
    [[nodiscard]] const ExprNode *node() const { return m_node; }
    /// Same node, not same meaning; see structurallyEqual.
    [[nodiscard]] bool is(Expr other) const { return m_node == other.m_node; }

  private:
    const ExprNode *m_node = nullptr;
};

struct ExprNode {
    ExprKind kind;
    DType dtype;
    Intrinsic intrinsic; // Call
    uint32_t argCount;
    union {
        int64_t intValue;           // IntImm
        double floatValue;          // FloatImm
        const char *text;           // Var: name (zero-terminated, in the arena)
        const TensorSymbol *symbol; // Load
    };
    const Expr *args;

    [[nodiscard]] std::span<const Expr> operands() const { return {args, argCount}; }
    [[nodiscard]] Expr arg(size_t i) const { return args[i]; }
    [[nodiscard]] std::string_view name() const { return text; }
};

// --- Building without folding (exactly this node) -----------------------------------------------------------------

Expr makeInt(int64_t value, DType type = DType::Int32);
Expr makeBool(bool value);
Expr makeFloat(double value, DType type = DType::Float32);      // rounded to the type
Expr makeVar(std::string_view name, DType type = DType::Int32); // a new variable each call
Expr makeUnary(ExprKind kind, Expr a);                          // Not
Expr makeBinary(ExprKind kind, Expr a, Expr b);                 // dtype of a; Bool for comparisons
Expr makeCastNode(DType type, Expr a);
Expr makeSelectNode(Expr condition, Expr yes, Expr no);
Expr makeCall(Intrinsic intrinsic, DType type, std::span<const Expr> args);
Expr makeLoad(const TensorSymbol &symbol, std::span<const Expr> indices);
Expr makeLet(Expr var, Expr value, Expr body);

// --- Building with the folding TVM's operators do, which task keys depend on: for `.te` and the operator library ---
// Constants fold and neutral elements disappear. Both operands must have the same type except that an immediate adapts
// to the other side.

Expr fold(ExprKind kind, Expr a, Expr b); // any binary kind
Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator+(Expr a, int64_t b);
Expr operator-(Expr a, int64_t b);
Expr operator*(Expr a, int64_t b);
Expr floorDiv(Expr a, Expr b);
Expr floorMod(Expr a, Expr b);
Expr floorDiv(Expr a, int64_t b);
Expr floorMod(Expr a, int64_t b);
Expr divide(Expr a, Expr b); // truncating `/`
Expr minOf(Expr a, Expr b);
Expr maxOf(Expr a, Expr b);
Expr logicalAnd(Expr a, Expr b);
Expr logicalOr(Expr a, Expr b);
Expr logicalNot(Expr a);
Expr castTo(DType type, Expr a);
Expr select(Expr condition, Expr yes, Expr no);
Expr ifThenElse(Expr condition, Expr yes, Expr no);
Expr callMath(Intrinsic intrinsic, Expr a);

// --- Asking -------------------------------------------------------------------------------------------------------

inline bool isInt(Expr e, int64_t value) { return e->kind == ExprKind::IntImm && e->intValue == value; }
inline bool isImm(Expr e) { return e->kind == ExprKind::IntImm || e->kind == ExprKind::FloatImm; }
inline bool isBinary(ExprKind kind) { return kind >= ExprKind::Add && kind <= ExprKind::Or; }
inline bool isComparison(ExprKind kind) { return kind >= ExprKind::Eq && kind <= ExprKind::Ge; }
bool structurallyEqual(Expr a, Expr b); // variables by identity

/// Text as TVM prints expressions (also the `.te` printer's base).
std::string toText(Expr e);
void appendText(std::string &out, Expr e);
/// In double quotes, as a string constant and a quoted name of the `.te` language.
void appendQuoted(std::string &out, std::string_view text);
/// `%g`-style, 6 digits, with the type's suffix (`0f`, `1e-05f`).
std::string floatText(double value, DType type);

} // namespace loopscope
