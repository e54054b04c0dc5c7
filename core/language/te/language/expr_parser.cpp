#include "language/te/language/expr_parser.h"

#include "language/te/language/derived_functions.h"

#include <array>
#include <limits>
#include <optional>

namespace loopscope {

namespace {

struct BinaryOperator {
    std::string_view symbol;
    int precedence; // higher binds tighter
    ExprKind kind;
};
constexpr std::array<BinaryOperator, 14> kBinaryOperators = {{
    {"||", 1, ExprKind::Or},
    {"&&", 2, ExprKind::And},
    {"==", 3, ExprKind::Eq},
    {"!=", 3, ExprKind::Ne},
    {"<", 3, ExprKind::Lt},
    {"<=", 3, ExprKind::Le},
    {">", 3, ExprKind::Gt},
    {">=", 3, ExprKind::Ge},
    {"+", 4, ExprKind::Add},
    {"-", 4, ExprKind::Sub},
    {"*", 5, ExprKind::Mul},
    {"/", 5, ExprKind::Div},
    {"//", 5, ExprKind::FloorDiv},
    {"%", 5, ExprKind::FloorMod},
}};

const BinaryOperator *binaryOperator(const Token &token) {
    if (token.kind != TokenKind::Symbol) return nullptr;
    for (const BinaryOperator &op : kBinaryOperators)
        if (op.symbol == token.text) return &op;
    return nullptr;
}

struct NamedBinary {
    std::string_view name;
    ExprKind kind;
};
constexpr std::array<NamedBinary, 6> kNamedBinaries = {{{"min", ExprKind::Min},
                                                        {"max", ExprKind::Max},
                                                        {"floordiv", ExprKind::FloorDiv},
                                                        {"floormod", ExprKind::FloorMod},
                                                        {"truncdiv", ExprKind::Div},
                                                        {"truncmod", ExprKind::Mod}}};
constexpr std::array<std::string_view, 5> kReductions = {"sum", "prod", "min", "max", "reduce"};
constexpr std::array<std::string_view, 4> kTypeConstants = {"inf", "nan", "lowest", "highest"};

std::optional<Intrinsic> intrinsicNamed(std::string_view name) {
    for (int i = 0; i <= static_cast<int>(Intrinsic::BitwiseXor); ++i)
        if (intrinsicName(static_cast<Intrinsic>(i)) == name) return static_cast<Intrinsic>(i);
    return std::nullopt;
}

constexpr int kMaxNesting = 300;

} // namespace

std::vector<std::string> scalarFunctionNames() {
    std::vector<std::string> names = {"select", "abs", "ceildiv", "sum", "prod", "reduce", "scan", "let"};
    for (const NamedBinary &binary : kNamedBinaries) names.emplace_back(binary.name);
    for (std::string &name : derivedFunctionNames()) names.push_back(std::move(name));
    for (const std::string_view name : kTypeConstants) names.emplace_back(name);
    for (int i = 0; i <= static_cast<int>(Intrinsic::BitwiseXor); ++i)
        names.emplace_back(intrinsicName(static_cast<Intrinsic>(i)));
    for (int i = 0; i <= static_cast<int>(DType::Float64); ++i) names.emplace_back(dtypeName(static_cast<DType>(i)));
    return names;
}

bool ExprParser::isReduction(const TokenCursor &cursor) {
    const Token &token = cursor.peek();
    if (token.kind != TokenKind::Name || !cursor.peek(1).is("(")) return false;
    for (const std::string_view name : kReductions)
        if (token.text == name)
            return cursor.findInside(cursor.at() + 1, ";", cursor.at() + 1) != TokenCursor::npos || name == "sum" ||
                   name == "prod" || name == "reduce";
    return false;
}

bool ExprParser::isScan(const TokenCursor &cursor) { return cursor.peek().isName("scan") && cursor.peek(1).is("("); }

TypedExpr ExprParser::parseValue() { return parseBinary(1); }

TypedExpr ExprParser::parseTyped() {
    const Token &start = m_cursor.peek();
    return take(withOwnType(parseValue()), start);
}

TypedExpr ExprParser::parseCondition() {
    const Token &start = m_cursor.peek();
    const TypedExpr value = parseValue();
    if (value.untyped || value.e->dtype != DType::Bool)
        throw m_cursor.error(start,
                             "a condition is needed here, this is " +
                                 (value.untyped ? std::string("a number") : std::string(dtypeName(value.e->dtype))));
    return value;
}

TypedExpr ExprParser::parseConstant(const std::string &what, Reach reach) {
    const Token &start = m_cursor.peek();
    const TypedExpr value = parseBinary(reach == Reach::Whole ? 1 : 4);
    if (!isImm(value.e))
        throw m_cursor.error(start,
                             what + " is not a constant; only numbers, parameters and `let` names may stand here");
    return value;
}

int64_t ExprParser::parseConstantInt(const std::string &what, Reach reach) {
    const Token &start = m_cursor.peek();
    const TypedExpr value = parseConstant(what, reach);
    if (value.e->kind != ExprKind::IntImm || value.e->dtype == DType::Bool) {
        const std::string whole = start.kind == TokenKind::Number && value.e->kind == ExprKind::FloatImm
                                      ? wholeNumberText(value.e->floatValue)
                                      : std::string();
        throw m_cursor.error(start, what + " is not an integer" + (whole.empty() ? "" : "; write " + whole));
    }
    return value.e->intValue;
}

TypedExpr ExprParser::parseBinary(int loosest) {
    TypedExpr left = parseUnary();
    while (const BinaryOperator *op = binaryOperator(m_cursor.peek())) {
        if (op->precedence < loosest) break;
        const Token &token = m_cursor.next();
        const TypedExpr right = parseBinary(op->precedence + 1);
        left = take(combine(op->kind, left, right), token);
        // `a < b < c` compares a condition with a number; say so instead of complaining about its type.
        const BinaryOperator *again = binaryOperator(m_cursor.peek());
        if (op->precedence == 3 && again != nullptr && again->precedence == 3)
            throw m_cursor.error(m_cursor.peek(), "comparisons do not chain; write a < b && b < c");
    }
    return left;
}

TypedExpr ExprParser::parseUnary() {
    struct NestingGuard {
        int &nesting;
        ~NestingGuard() { --nesting; }
    } guard{m_nesting};
    if (++m_nesting > kMaxNesting)
        throw m_cursor.error(m_cursor.peek(), "this expression is nested deeper than " + std::to_string(kMaxNesting) +
                                                  " levels; give a part of it a name of its own");
    const Token &token = m_cursor.peek();
    if (m_cursor.accept("-")) return take(negate(parseUnary()), token);
    if (m_cursor.accept("!")) return take(invert(parseUnary()), token);
    return parsePrimary();
}

TypedExpr ExprParser::parsePrimary() {
    const Token &token = m_cursor.peek();
    switch (token.kind) {
    case TokenKind::Integer:
        m_cursor.next();
        return untypedInt(token.integer);
    case TokenKind::Number:
        m_cursor.next();
        return untypedFloat(token.number);
    case TokenKind::Text:
    case TokenKind::Name:
        return parseName(token);
    default:
        break;
    }
    if (m_cursor.accept("(")) {
        const TypedExpr value = parseValue();
        if (m_cursor.peek().is(","))
            throw m_cursor.error(m_cursor.peek(), "a tuple may only be the whole right-hand side or part of `reduce`");
        m_cursor.expect(")", "to close the parenthesis");
        return value;
    }
    throw m_cursor.unexpected("an expression");
}

TypedExpr ExprParser::parseName(const Token &token) {
    if (m_cursor.peek(1).is("[")) return parseLoad(token);
    if (token.kind == TokenKind::Name && m_cursor.peek(1).is("(")) return parseCall(token);
    if (const Expr var = m_names.findVariable(token.text)) {
        m_cursor.next();
        return typedLeaf(var);
    }
    if (token.kind == TokenKind::Name) {
        if (token.text == "true" || token.text == "false") {
            m_cursor.next();
            return typedLeaf(makeBool(token.text == "true"));
        }
        if (const auto found = m_names.constants.find(token.text); found != m_names.constants.end()) {
            m_cursor.next();
            return found->second;
        }
    }
    if (const auto found = m_names.tensors.find(token.text); found != m_names.tensors.end()) {
        const size_t rank = found->second.tensor->shape.size();
        throw m_cursor.error(token, "`" + token.text + "` is a tensor of rank " + std::to_string(rank) +
                                        "; read an element of it, as in " + token.text + "[" +
                                        (rank == 0   ? "]"
                                         : rank == 1 ? "i]"
                                                     : "i, ...]"));
    }
    std::vector<std::string> known = m_names.scalarNames();
    throw m_cursor.error(token, "`" + token.text + "` is not defined" + suggestion(token.text, known));
}

void ExprParser::failUnknownTensor(const Token &name) const {
    if (explainUnknownTensor) explainUnknownTensor(name);
    throw m_cursor.error(name, "`" + name.text + "` is not defined" + suggestion(name.text, m_names.tensorNames()));
}

TypedExpr ExprParser::parseLoad(const Token &token) {
    const auto found = m_names.tensors.find(token.text);
    if (found == m_names.tensors.end()) {
        if (const auto tuple = m_names.tuples.find(token.text); tuple != m_names.tuples.end())
            throw m_cursor.error(token, "`" + token.text + "` has " + std::to_string(tuple->second) +
                                            " outputs; read one of them, as in " + token.text + ".v0[...]");
        failUnknownTensor(token);
    }
    const Tensor &tensor = *found->second.tensor;
    m_cursor.next();
    m_cursor.expect("[", "");
    std::vector<Expr> indices;
    std::vector<TypedExpr> parts;
    if (!m_cursor.peek().is("]")) {
        do {
            const Token &start = m_cursor.peek();
            const TypedExpr index = parseTyped();
            const DType type = index.e->dtype;
            if (type != DType::Int32 && type != DType::Int64)
                throw m_cursor.error(start, "index " + std::to_string(indices.size()) + " of `" + token.text + "` is " +
                                                std::string(dtypeName(type)) +
                                                "; an index is int32 or int64, cast it as in int32(...)");
            indices.push_back(index.e);
            parts.push_back(index);
        } while (m_cursor.accept(","));
    }
    m_cursor.expect("]", "after the indices");
    if (indices.size() != tensor.shape.size()) {
        const size_t rank = tensor.shape.size();
        throw m_cursor.error(token, "`" + token.text + "` has " + std::to_string(rank) +
                                        (rank == 1 ? " dimension" : " dimensions") + " but is read with " +
                                        std::to_string(indices.size()) + (indices.size() == 1 ? " index" : " indices"));
    }
    const Expr load = makeLoad(tensor, indices);
    loadOffsets[load.node()] = token.offset;
    return take(builtFrom(load, parts), token);
}

TypedExpr ExprParser::parseCall(const Token &token) {
    if (isReduction(m_cursor))
        throw m_cursor.error(token, "a reduction must be the whole right-hand side; give it a name of its own");
    if (isScan(m_cursor))
        throw m_cursor.error(token, "a scan must be the whole right-hand side; give it a name of its own");
    // Names as Ansor prints them: tir.exp is exp.
    const std::string_view name =
        std::string_view(token.text).starts_with("tir.") ? std::string_view(token.text).substr(4) : token.text;
    if (name == "let") return parseLet();
    for (const std::string_view constant : kTypeConstants)
        if (name == constant) return parseTypeConstant(token, name);
    const std::optional<DType> castType = dtypeFromName(name);
    const std::optional<Intrinsic> intrinsic = intrinsicNamed(name);
    const bool chooses = name == "select" || intrinsic == Intrinsic::IfThenElse;
    const bool derived = isDerivedFunction(name);
    const bool known = castType || intrinsic || chooses || derived || name == "abs" || name == "ceildiv";
    const NamedBinary *binary = nullptr;
    for (const NamedBinary &candidate : kNamedBinaries)
        if (candidate.name == name) binary = &candidate;
    if (!known && binary == nullptr) return unknownFunction(token);

    m_cursor.next();
    m_cursor.next();
    std::vector<TypedExpr> args;
    if (!m_cursor.peek().is(")")) {
        do {
            args.push_back(parseValue());
        } while (m_cursor.accept(","));
    }
    m_cursor.expect(")", "after the arguments of " + std::string(name));
    const auto needs = [&](size_t count) {
        if (args.size() != count)
            throw m_cursor.error(token, std::string(name) + " takes " + std::to_string(count) +
                                            (count == 1 ? " argument, " : " arguments, ") +
                                            std::to_string(args.size()) +
                                            (args.size() == 1 ? " is given" : " are given"));
    };
    if (derived) return take(callDerived(name, args), token);
    if (castType) {
        needs(1);
        return take(castValue(*castType, args[0]), token);
    }
    if (chooses) {
        needs(3);
        return take(choose(name != "select", args[0], args[1], args[2]), token);
    }
    if (binary != nullptr) {
        needs(2);
        return take(combine(binary->kind, args[0], args[1]), token);
    }
    if (name == "ceildiv") {
        needs(2);
        // What is left counts once: a sum with the divisor might leave the type.
        const TypedExpr below = take(combine(ExprKind::FloorDiv, args[0], args[1]), token);
        const TypedExpr rest = take(combine(ExprKind::FloorMod, args[0], args[1]), token);
        if (rest.isUntypedInt())
            return take(combine(ExprKind::Add, below, untypedInt(isInt(rest.e, 0) ? 0 : 1)), token);
        const TypedExpr more = take(combine(ExprKind::Ne, rest, untypedInt(0)), token);
        return take(combine(ExprKind::Add, below, take(castValue(rest.e->dtype, more), token)), token);
    }
    if (name == "abs") {
        needs(1);
        if (!args[0].untyped && isUnsigned(args[0].e->dtype) && isInteger(args[0].e->dtype)) return args[0];
        const bool whole = args[0].isUntypedInt() || (!args[0].untyped && isInteger(args[0].e->dtype));
        if (!whole) return take(callIntrinsic(Intrinsic::Fabs, args), token);
        const TypedExpr negative = take(negate(args[0]), token);
        return take(combine(ExprKind::Max, args[0], negative), token);
    }
    return take(callIntrinsic(*intrinsic, args), token);
}

TypedExpr ExprParser::unknownFunction(const Token &token) {
    if (m_names.tensors.contains(token.text))
        throw m_cursor.error(token, "`" + token.text + "` is a tensor; it is read with brackets, as in " + token.text +
                                        "[...]");
    throw m_cursor.error(token,
                         "there is no function `" + token.text + "`" + suggestion(token.text, scalarFunctionNames()));
}

/// `inf(float32)`, `lowest(int8)`, ...
TypedExpr ExprParser::parseTypeConstant(const Token &token, std::string_view function) {
    m_cursor.next();
    m_cursor.expect("(", "");
    const Token &typeToken = m_cursor.peek();
    const std::optional<DType> type = typeToken.kind == TokenKind::Name ? dtypeFromName(typeToken.text) : std::nullopt;
    if (!type) throw m_cursor.unexpected("a type, as in " + std::string(function) + "(float32)");
    m_cursor.next();
    m_cursor.expect(")", "after the type");
    const bool floating = isFloat(*type);
    if (function == "inf" || function == "nan") {
        if (!floating)
            throw m_cursor.error(token, std::string(function) + " exists for float types only; write highest(" +
                                            typeToken.text + ")");
        const double value =
            function == "inf" ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
        return typedLeaf(makeFloat(value, *type));
    }
    const Combiner combiner = makeCombiner(function == "lowest" ? ReduceKind::Max : ReduceKind::Min, *type);
    return typedLeaf(combiner.identity[0]);
}

/// `let(v = value; body)`
TypedExpr ExprParser::parseLet() {
    m_cursor.next();
    m_cursor.expect("(", "");
    const std::string name = m_cursor.expectName("the name of the variable").text;
    m_cursor.expect("=", "after the variable of let");
    const TypedExpr value = parseTyped();
    m_cursor.expect(";", "between the value and the body of let");
    const VariableScope scope(m_names);
    const Expr var = makeVar(name, value.e->dtype);
    m_names.variables.emplace_back(name, var);
    const Token &start = m_cursor.peek();
    const TypedExpr body = parseTyped();
    m_cursor.expect(")", "after the body of let");
    const std::array<TypedExpr, 2> parts = {value, body};
    return take(builtFrom(makeLet(var, value.e, body.e), parts), start);
}

} // namespace loopscope
