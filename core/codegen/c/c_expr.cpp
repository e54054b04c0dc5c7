#include "codegen/c/c_expr.h"

#include "check.h"
#include "codegen/c/constant_choice.h"
#include "codegen/c/reserved_names.h"
#include "codegen/math_names.h"
#include "expr/readable_text.h"
#include "expr/walk.h"
#include "loop_ir/flat_offset.h"
#include "outcome.h"

#include <array>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace loopscope {

namespace {

/// Every helper a text may need, by name.
const std::map<std::string, std::string> &helperTable() {
    static const std::map<std::string, std::string> table = {
        {"floordiv", "static inline int64_t floordiv(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a % b < 0) "
                     "!= (b < 0)); }"},
        {"floormod",
         "static inline int64_t floormod(int64_t a, int64_t b) { return a - (a / b - (a % b != 0 && (a % b < 0) != (b "
         "< 0))) * b; }"},
        {"min_int", "static inline int64_t min_int(int64_t a, int64_t b) { return a < b ? a : b; }"},
        {"max_int", "static inline int64_t max_int(int64_t a, int64_t b) { return a > b ? a : b; }"},
        {"min_float", "static inline float min_float(float a, float b) { return a < b ? a : b; }"},
        {"max_float", "static inline float max_float(float a, float b) { return a > b ? a : b; }"},
        {"min_double", "static inline double min_double(double a, double b) { return a < b ? a : b; }"},
        {"max_double", "static inline double max_double(double a, double b) { return a > b ? a : b; }"},
        {"from_bfloat16", "static inline float from_bfloat16(uint16_t bits) { uint32_t wide = (uint32_t)bits << 16; "
                          "float value; memcpy(&value, &wide, 4); return value; }"},
        {"to_bfloat16",
         "static inline uint16_t to_bfloat16(float value) { uint32_t bits; memcpy(&bits, &value, 4); if (value != "
         "value) return (uint16_t)(bits >> 16 | 64); return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16); }"},
    };
    return table;
}

/// As in `.te`, but for the modulus that truncates, which C has an operator for.
std::string_view infix(ExprKind kind) { return kind == ExprKind::Mod ? "%" : operatorText(kind); }

} // namespace

std::string_view cTypeName(DType type) {
    switch (type) {
    case DType::Bool:
        return "bool";
    case DType::Int8:
        return "int8_t";
    case DType::UInt8:
        return "uint8_t";
    case DType::Int32:
        return "int32_t";
    case DType::Int64:
        return "int64_t";
    case DType::Float64:
        return "double";
    default:
        return "float";
    }
}

std::string_view cStorageName(DType type) {
    if (type == DType::Float16) return "_Float16";
    if (type == DType::BFloat16) return "uint16_t";
    return cTypeName(type);
}

std::string CNames::unique(std::string_view wanted) {
    std::string name;
    for (const char c : wanted) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    while (name.size() > 1 && name.back() == '_') name.pop_back();
    if (name.empty() || name[0] == '_' || std::isdigit(static_cast<unsigned char>(name[0])) != 0) name.insert(0, "v_");
    const auto means = [](const std::string &text) { return isReservedInC(text) || helperTable().contains(text); };
    if (means(name)) name += "_0";
    std::string result = name;
    for (int n = 1; means(result) || !m_taken.insert(result).second; ++n) result = name + "_" + std::to_string(n);
    return result;
}

const std::string &CExprWriter::nameOf(const Buffer &buffer) {
    const auto found = m_buffers.find(&buffer);
    if (found != m_buffers.end()) return found->second;
    return m_buffers[&buffer] = m_names.unique(buffer.name);
}

const std::string &CExprWriter::declare(Expr var, Interval range) {
    m_ranges.push_back({var.node(), range});
    return m_vars[var.node()] = m_names.unique(var->name());
}

std::string_view CExprWriter::valueType(DType type) const { return isDouble(type) ? "double" : cTypeName(type); }

std::string_view CExprWriter::storageType(const Buffer &buffer) const {
    return keptWide(buffer) ? "double" : cStorageName(buffer.dtype);
}

std::string CExprWriter::use(const std::string &helper) {
    m_used.insert(helper);
    return helper;
}

std::string CExprWriter::helperCall(const std::string &helper, const std::string &a, const std::string &b) {
    return use(helper) + "(" + a + ", " + b + ")";
}

std::vector<std::string> CExprWriter::helpers() const {
    std::vector<std::string> lines;
    for (const std::string &name : m_used) lines.push_back(helperTable().at(name));
    return lines;
}

std::string CExprWriter::element(const Buffer &buffer, std::span<const Expr> indices) {
    std::string offset;
    ExprArena arena;
    const ArenaScope scope(arena);
    if (const std::optional<SplitSum> merged = mergedOffset(indices, buffer.strides)) {
        for (const SplitTerm &term : merged->all()) {
            if (!offset.empty()) offset += " + ";
            offset += value(digitOf(term));
            if (term.scale != 1) offset += "*" + std::to_string(term.scale);
        }
        if (merged->constant != 0) offset += " + " + std::to_string(merged->constant);
        return nameOf(buffer) + "[" + (offset.empty() ? "0" : offset) + "]";
    }
    for (size_t d = 0; d < indices.size(); ++d) {
        if (isInt(indices[d], 0)) continue;
        if (!offset.empty()) offset += " + ";
        offset += value(indices[d]);
        if (buffer.strides[d] != 1) offset += "*" + std::to_string(buffer.strides[d]);
    }
    return nameOf(buffer) + "[" + (offset.empty() ? "0" : offset) + "]";
}

std::string CExprWriter::stored(const Buffer &buffer, Expr e) {
    std::string text = value(e);
    if (keptWide(buffer)) return text;
    if (m_floats == CFloats::Wide && isFloat(buffer.dtype) && buffer.dtype != DType::Float64) text = "(float)" + text;
    if (buffer.dtype == DType::BFloat16) return use("to_bfloat16") + "(" + text + ")";
    if (buffer.dtype == DType::Float16) return "(_Float16)" + text;
    return text;
}

std::string CExprWriter::literal(Expr e) const {
    if (e->kind == ExprKind::IntImm) {
        if (e->dtype == DType::Bool) return e->intValue != 0 ? "true" : "false";
        const bool wide = e->intValue > INT32_MAX || e->intValue <= INT32_MIN;
        if (e->intValue == INT64_MIN) return "INT64_MIN";
        const std::string digits = std::to_string(e->intValue) + (wide ? "LL" : "");
        return e->intValue < 0 ? "(" + digits + ")" : digits;
    }
    const double x = e->floatValue;
    if (std::isnan(x)) return "NAN";
    if (std::isinf(x)) return x > 0 ? "INFINITY" : "(-INFINITY)";
    std::string digits = isDouble(e->dtype) ? fmt::format("{:.17g}", x) : fmt::format("{:.9g}", x);
    if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
    if (!isDouble(e->dtype)) digits += "f";
    return x < 0 ? "(" + digits + ")" : digits;
}

std::string CExprWriter::value(Expr e) {
    switch (e->kind) {
    case ExprKind::IntImm:
    case ExprKind::FloatImm:
        return literal(e);
    case ExprKind::Var: {
        const auto found = m_vars.find(e.node());
        LOOPSCOPE_CHECK(found != m_vars.end(), std::string(e->name()));
        return found->second;
    }
    case ExprKind::Cast:
        return cast(e);
    case ExprKind::Not:
        return "!" + value(e->arg(0));
    case ExprKind::Select:
        if (std::string element = tableElement(e); !element.empty()) return element;
        return "(" + value(e->arg(0)) + " ? " + value(e->arg(1)) + " : " + value(e->arg(2)) + ")";
    case ExprKind::Call:
        return call(e);
    case ExprKind::Load: {
        const auto &buffer = static_cast<const Buffer &>(*e->symbol);
        std::string text = element(buffer, e->operands());
        if (keptWide(buffer)) return text;
        if (buffer.dtype == DType::BFloat16)
            text = use("from_bfloat16") + "(" + text + ")";
        else if (buffer.dtype == DType::Float16)
            text.insert(0, "(float)");
        if (m_floats == CFloats::Wide && isFloat(buffer.dtype) && buffer.dtype != DType::Float64)
            text.insert(0, "(double)");
        return text;
    }
    case ExprKind::Let: {
        // Values are pure: the variable stands for the text.
        std::string text = "(" + value(e->arg(1)) + ")";
        constexpr size_t longest = size_t{1} << 16;
        if (text.size() > longest)
            throw Error(
                fmt::format("C source: the variable `{}` of a let inside an expression is written out where it is "
                            "used, and its text has more than {} characters; give its value a stage of its own",
                            e->arg(0)->name(), longest));
        m_vars[e->arg(0).node()] = std::move(text);
        return value(e->arg(2));
    }
    case ExprKind::StringImm:
        failCheck("a value", __FILE__, __LINE__, "a string in a loop program");
    default:
        return binary(e);
    }
}

std::string CExprWriter::cast(Expr e) {
    const std::string operand = value(e->arg(0));
    if (e->dtype == DType::Bool) return "(" + operand + " != 0)";
    const bool wide = m_floats == CFloats::Wide && isFloat(e->dtype);
    const std::string widened = wide ? "(double)" : "";
    if (e->dtype == DType::Float16) return widened + "(float)(_Float16)" + (wide ? "(float)(" : "(") + operand + ")";
    if (e->dtype == DType::BFloat16)
        return widened + use("from_bfloat16") + "(" + use("to_bfloat16") + "((float)(" + operand + ")))";
    if (wide && e->dtype == DType::Float32) return "(double)(float)(" + operand + ")";
    return "(" + std::string(cTypeName(e->dtype)) + ")(" + operand + ")";
}

std::string CExprWriter::division(Expr e) {
    const std::string a = value(e->arg(0));
    const std::string b = value(e->arg(1));
    const bool quotient = e->kind == ExprKind::FloorDiv;
    // Rounding down is what C does where nothing is negative.
    if (rangeOf(e->arg(0)).min >= 0 && rangeOf(e->arg(1)).min > 0) return "(" + a + (quotient ? "/" : "%") + b + ")";
    return helperCall(quotient ? "floordiv" : "floormod", a, b);
}

std::string CExprWriter::binary(Expr e) {
    const DType type = e->dtype;
    if (e->kind == ExprKind::FloorDiv || e->kind == ExprKind::FloorMod) {
        if (!isFloat(type)) return division(e);
        const std::string quotient = "(" + value(e->arg(0)) + "/" + value(e->arg(1)) + ")";
        std::string floored = std::string(isDouble(type) ? "floor" : "floorf") + quotient;
        if (e->kind == ExprKind::FloorDiv) return floored;
        return "(" + value(e->arg(0)) + " - " + floored + "*" + value(e->arg(1)) + ")";
    }
    const std::string a = value(e->arg(0));
    const std::string b = value(e->arg(1));
    if (e->kind == ExprKind::Min || e->kind == ExprKind::Max) {
        const std::string name = e->kind == ExprKind::Min ? "min_" : "max_";
        return helperCall(name + (!isFloat(type) ? "int" : isDouble(type) ? "double" : "float"), a, b);
    }
    if (e->kind == ExprKind::Mod && isFloat(type))
        return std::string(isDouble(type) ? "fmod" : "fmodf") + "(" + a + ", " + b + ")";
    std::string plain = "(" + a + " " + std::string(infix(e->kind)) + " " + b + ")";
    const bool arithmetic = e->kind == ExprKind::Add || e->kind == ExprKind::Sub || e->kind == ExprKind::Mul;
    if (!arithmetic || isFloat(type) || !containsLoad(e)) return plain;
    // Elements wrap around; signed overflow would be undefined in C.
    const char *bits = type == DType::Int64 ? "uint64_t" : "uint32_t";
    return fmt::format("({})(({})({}) {} ({})({}))", cTypeName(type), bits, a, infix(e->kind), bits, b);
}

std::string CExprWriter::tableElement(Expr e) {
    constexpr size_t shortest = 4; // rows of fewer selects are easier to read where they are
    constexpr int64_t mostElements = 4096;
    const std::optional<ConstantChoice> choice = constantChoice(e, [&](Expr index) { return value(index); });
    if (!choice || choice->cases.size() < shortest || choice->indices.empty() || choice->indices.size() > 2) return {};
    std::string extents;
    std::string place;
    std::vector<Interval> ranges;
    int64_t elements = 1;
    for (const Expr index : choice->indices) {
        const Interval range = rangeOf(index);
        if (range.min < 0 || range.max >= mostElements) return {};
        elements *= range.max + 1;
        if (elements > mostElements) return {};
        ranges.push_back(range);
        extents += fmt::format("[{}]", range.max + 1);
        place += "[" + value(index) + "]";
    }
    // Row after row, the last index the fastest.
    std::vector<std::string> rows;
    std::vector<int64_t> at(ranges.size(), 0);
    for (int64_t n = 0; n < elements; ++n) {
        if (at.back() == 0) rows.emplace_back();
        rows.back() += (at.back() == 0 ? "" : ", ") + literal(choice->at(at));
        for (size_t d = at.size(); d-- > 0;) {
            if (++at[d] <= ranges[d].max) break;
            at[d] = 0;
        }
    }
    const std::string head = std::string(valueType(e->dtype)) + " " + extents;
    std::string &name = m_tableNames[fmt::format("{} {}", head, fmt::join(rows, ";"))];
    if (name.empty()) {
        name = m_names.unique("constants");
        m_tables.push_back(fmt::format("static const {} {}{} = {{", valueType(e->dtype), name, extents));
        for (const std::string &row : rows)
            m_tables.push_back(ranges.size() == 2 ? "    {" + row + "}," : "    " + row + ",");
        m_tables.emplace_back("};");
    }
    return name + place;
}

std::string CExprWriter::call(Expr e) {
    if (e->intrinsic == Intrinsic::IfThenElse) {
        if (std::string element = tableElement(e); !element.empty()) return element;
        return "(" + value(e->arg(0)) + " ? " + value(e->arg(1)) + " : " + value(e->arg(2)) + ")";
    }
    const DType type = e->dtype;
    const std::string suffix = isDouble(type) ? "" : "f";
    const std::string one = isDouble(type) ? "1.0" : "1.0f";
    const std::string x = value(e->arg(0));
    switch (e->intrinsic) {
    case Intrinsic::Rsqrt:
        return "(" + one + "/sqrt" + suffix + "(" + x + "))";
    case Intrinsic::Sigmoid:
        return "(" + one + "/(" + one + " + exp" + suffix + "(-(" + x + "))))";
    case Intrinsic::Exp10:
        return "pow" + suffix + "(10.0" + suffix + ", " + x + ")";
    case Intrinsic::Isnan:
        return isFloat(e->arg(0)->dtype) ? "(isnan(" + x + ") != 0)" : "false";
    case Intrinsic::Popcount:
        return e->arg(0)->dtype == DType::Int64    ? "__builtin_popcountll((uint64_t)(" + x + "))"
               : dtypeBytes(e->arg(0)->dtype) == 1 ? "__builtin_popcount((uint8_t)(" + x + "))"
                                                   : "__builtin_popcount((uint32_t)(" + x + "))";
    case Intrinsic::ShiftLeft:
        return fmt::format("({})((uint64_t)({}) << (({}) & {}))", cTypeName(type), x, value(e->arg(1)),
                           dtypeBytes(type) * 8 - 1);
    case Intrinsic::ShiftRight:
        return fmt::format("(({}) >> (({}) & {}))", x, value(e->arg(1)), dtypeBytes(type) * 8 - 1);
    case Intrinsic::BitwiseAnd:
        return "(" + x + " & " + value(e->arg(1)) + ")";
    case Intrinsic::BitwiseOr:
        return "(" + x + " | " + value(e->arg(1)) + ")";
    case Intrinsic::BitwiseXor:
        return "(" + x + " ^ " + value(e->arg(1)) + ")";
    default:
        break;
    }
    if (!isFloat(type)) // of whole numbers
        return e->intrinsic == Intrinsic::Fabs ? "(" + x + " < 0 ? -" + x + " : " + x + ")" : x;
    const char *name = mathFunctionName(e->intrinsic);
    LOOPSCOPE_CHECK(name != nullptr, std::string(intrinsicName(e->intrinsic)));
    std::string text = std::string(name) + suffix + "(" + x;
    for (size_t i = 1; i < e->argCount; ++i) text += ", " + value(e->arg(i));
    return text + ")";
}

} // namespace loopscope
