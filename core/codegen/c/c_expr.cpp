#include "codegen/c/c_expr.h"

#include "base/check.h"
#include "base/foreign_text.h"
#include "base/outcome.h"
#include "codegen/c/constant_choice.h"
#include "codegen/loop_ir/flat_offset.h"
#include "codegen/math_names.h"
#include "language/expr/readable_text.h"
#include "language/expr/walk.h"

#include <array>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace loopscope {

namespace {

constexpr Interval kNarrow = {INT32_MIN, INT32_MAX};

/// As in `.te`, but for the modulus that truncates, which C has an operator for.
std::string_view infix(ExprKind kind) { return kind == ExprKind::Mod ? "%" : operatorText(kind); }

/// Sum, difference, product: C, which computes in 32 bits or more, may have another value than its type has.
bool mayWrap(Expr e, Interval a, Interval b) {
    if (containsLoad(e)) return true;
    const Interval result = e->kind == ExprKind::Add ? a + b : e->kind == ExprKind::Sub ? a - b : a * b;
    return !exactIn(result, e->dtype);
}

} // namespace

std::string_view cTypeName(DType type) {
    switch (type) {
    case DType::Bool:
        return "bool";
    case DType::Int8:
        return "int8_t";
    case DType::UInt8:
        return "uint8_t";
    case DType::Int16:
        return "int16_t";
    case DType::UInt16:
        return "uint16_t";
    case DType::UInt32:
        return "uint32_t";
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
    // A name that came out of this stays as it is.
    while (!name.empty() && name.back() == '_') name.pop_back();
    if (name.empty())
        name = "v";
    else if (name[0] == '_' || std::isdigit(static_cast<unsigned char>(name[0])) != 0)
        name.insert(0, "v_");
    const auto means = [&](const std::string &text) {
        return m_dialect.reserves(text) || m_dialect.helpers().contains(text);
    };
    if (means(name)) name += "_0";
    std::string result = name;
    for (int n = 1; means(result) || !m_taken.insert(result).second; ++n) result = name + "_" + std::to_string(n);
    m_function.insert(result);
    return result;
}

std::string CNames::uniqueInFile(std::string_view wanted) {
    std::string name = unique(wanted);
    m_function.erase(name);
    return name;
}

void CNames::giveBack(const std::string &name) {
    m_taken.erase(name);
    m_function.erase(name);
}

void CNames::closeFunction() {
    for (const std::string &name : m_function) m_taken.erase(name);
    m_function.clear();
}

std::string bareCondition(const std::string &text) {
    if (text.size() < 2 || text.front() != '(' || text.back() != ')') return text;
    int depth = 0;
    for (size_t i = 0; i + 1 < text.size(); ++i) {
        depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        if (depth == 0) return text;
    }
    return text.substr(1, text.size() - 2);
}

std::string packingComment(const ProgramArg &arg) {
    std::string text = "// " + commentText(arg.buffer->name) + " is packed: ";
    for (size_t p = 0; p < arg.packing.size(); ++p) {
        const PackedDim &dim = arg.packing[p];
        text += fmt::format("{}{} of dimension {} in steps of {}", p > 0 ? ", then " : "", dim.extent, dim.origin,
                            dim.stride);
    }
    return text;
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

std::string_view CExprWriter::valueType(DType type) const {
    return isDouble(type) ? "double" : m_dialect.typeName(type);
}

std::string_view CExprWriter::storageType(const Buffer &buffer) const {
    return keptWide(buffer) ? "double" : m_dialect.storageName(buffer.dtype);
}

std::string_view CExprWriter::indexType(Interval range) const {
    return m_dialect.typeName(m_dialect.narrowIntegers() && range.inside(kNarrow) ? DType::Int32 : DType::Int64);
}

Interval CExprWriter::exactRange(Expr e, bool &narrow) const {
    if (e->kind == ExprKind::Load || e->argCount == 0) return rangeOf(e);
    const bool sum =
        !isFloat(e->dtype) && (e->kind == ExprKind::Add || e->kind == ExprKind::Sub || e->kind == ExprKind::Mul);
    if (!sum) {
        for (const Expr operand : e->operands()) (void)exactRange(operand, narrow);
        return rangeOf(e);
    }
    const Interval a = exactRange(e->arg(0), narrow);
    const Interval b = exactRange(e->arg(1), narrow);
    const Interval result = e->kind == ExprKind::Add ? a + b : e->kind == ExprKind::Sub ? a - b : a * b;
    narrow = narrow && result.inside(kNarrow);
    return result;
}

bool CExprWriter::fitsNarrow(Expr e) const {
    bool narrow = true;
    (void)exactRange(e, narrow);
    return narrow;
}

/// However the terms of the sum are put together.
bool CExprWriter::fitsNarrow(const Buffer &buffer, std::span<const Expr> indices) const {
    bool narrow = buffer.elements() <= INT32_MAX;
    Interval offset = Interval::point(0);
    for (size_t d = 0; d < indices.size(); ++d) {
        offset = offset + exactRange(indices[d], narrow) * buffer.strides[d];
        narrow = narrow && offset.inside(kNarrow);
    }
    return narrow;
}

std::string CExprWriter::integerHelper(const std::string &name, DType type) const {
    const bool wide = m_dialect.narrowIntegers() && (m_wide || type == DType::Int64 || type == DType::UInt32);
    return wide ? name + "_wide" : name;
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
    for (const std::string &name : m_used) lines.push_back(m_dialect.helpers().at(name));
    return lines;
}

std::string CExprWriter::element(const Buffer &buffer, std::span<const Expr> indices) {
    const bool outer = std::exchange(m_wide, m_dialect.narrowIntegers() && !fitsNarrow(buffer, indices));
    std::string offset;
    ExprArena arena;
    const ArenaScope scope(arena);
    if (const std::optional<SplitSum> merged = mergedOffset(indices, buffer.strides)) {
        for (const SplitTerm &term : merged->all()) {
            if (!offset.empty()) offset += " + ";
            offset += text(digitOf(term));
            if (term.scale != 1) offset += "*" + std::to_string(term.scale);
        }
        if (merged->constant != 0) offset += " + " + std::to_string(merged->constant);
    } else {
        for (size_t d = 0; d < indices.size(); ++d) {
            if (isInt(indices[d], 0)) continue;
            if (!offset.empty()) offset += " + ";
            offset += text(indices[d]);
            if (buffer.strides[d] != 1) offset += "*" + std::to_string(buffer.strides[d]);
        }
    }
    m_wide = outer;
    return nameOf(buffer) + "[" + (offset.empty() ? "0" : offset) + "]";
}

std::string CExprWriter::stored(const Buffer &buffer, Expr e) {
    std::string text = value(e);
    if (keptWide(buffer)) return text;
    if (m_floats == CFloats::Wide && isFloat(buffer.dtype) && buffer.dtype != DType::Float64) text = "(float)" + text;
    if (buffer.dtype == DType::BFloat16) return use("to_bfloat16") + "(" + text + ")";
    if (buffer.dtype == DType::Float16)
        return m_dialect.hasFloat16() ? "(_Float16)" + text : use("to_float16") + "(" + text + ")";
    return text;
}

std::string CExprWriter::literal(Expr e) const {
    if (e->kind == ExprKind::IntImm) {
        if (e->dtype == DType::Bool) return e->intValue != 0 ? "true" : "false";
        const bool wide = e->intValue > INT32_MAX || e->intValue <= INT32_MIN;
        if (e->intValue == INT64_MIN) return std::string(m_dialect.minInt64());
        const std::string digits = std::to_string(e->intValue) + (wide ? "LL" : "");
        return e->intValue < 0 ? "(" + digits + ")" : digits;
    }
    const double x = e->floatValue;
    if (!std::isfinite(x)) return m_dialect.specialFloat(x, isDouble(e->dtype));
    std::string digits = isDouble(e->dtype) ? fmt::format("{:.17g}", x) : fmt::format("{:.9g}", x);
    if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
    if (!isDouble(e->dtype)) digits += "f";
    return x < 0 ? "(" + digits + ")" : digits;
}

std::string CExprWriter::value(Expr e) {
    const bool outer = m_wide;
    m_wide = outer || (m_dialect.narrowIntegers() && !fitsNarrow(e));
    std::string result = text(e);
    m_wide = outer;
    return result;
}

std::string CExprWriter::text(Expr e) {
    switch (e->kind) {
    case ExprKind::IntImm:
    case ExprKind::FloatImm:
        return literal(e);
    case ExprKind::Var: {
        const auto found = m_vars.find(e.node());
        LOOPSCOPE_CHECK(found != m_vars.end(), std::string(e->name()));
        if (!m_wide || isFloat(e->dtype) || e->dtype == DType::Bool) return found->second;
        return "(" + std::string(m_dialect.typeName(DType::Int64)) + ")" + found->second;
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
            text = m_dialect.hasFloat16() ? "(float)" + text : use("from_float16") + "(" + text + ")";
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
    default:
        return binary(e);
    }
}

std::string CExprWriter::cast(Expr e) {
    const std::string operand = value(e->arg(0));
    if (e->dtype == DType::Bool) return "(" + operand + " != 0)";
    const bool wide = m_floats == CFloats::Wide && isFloat(e->dtype);
    const std::string widened = wide ? "(double)" : "";
    if (e->dtype == DType::Float16 && m_dialect.hasFloat16())
        return widened + "(float)(_Float16)" + (wide ? "(float)(" : "(") + operand + ")";
    if (e->dtype == DType::Float16)
        return widened + use("from_float16") + "(" + use("to_float16") + "((float)(" + operand + ")))";
    if (e->dtype == DType::BFloat16)
        return widened + use("from_bfloat16") + "(" + use("to_bfloat16") + "((float)(" + operand + ")))";
    if (wide && e->dtype == DType::Float32) return "(double)(float)(" + operand + ")";
    return "(" + std::string(m_dialect.typeName(e->dtype)) + ")(" + operand + ")";
}

/// Of integers. By 0 and by -1, with which C has no way for 0 and for the least value, helpers divide.
std::string CExprWriter::division(Expr e) {
    const std::string a = value(e->arg(0));
    const std::string b = value(e->arg(1));
    const bool quotient = e->kind == ExprKind::FloorDiv || e->kind == ExprKind::Div;
    const bool floors = e->kind == ExprKind::FloorDiv || e->kind == ExprKind::FloorMod;
    const Interval divisors = rangeOf(e->arg(1));
    // Rounding down is what C does where nothing is negative.
    const bool alike = !floors || (rangeOf(e->arg(0)).min >= 0 && divisors.min > 0);
    const bool plain = divisors.min > 0 || divisors.max < (isUnsigned(e->dtype) ? 0 : -1);
    const std::string infix = quotient ? "/" : "%";
    if (alike && plain) return "(" + a + (floors ? infix : " " + infix + " ") + b + ")";
    std::string helper = plain ? "floor" : alike ? "safe_" : "safe_floor";
    helper += quotient ? "div" : "mod";
    std::string text = helperCall(integerHelper(helper, e->dtype), a, b);
    return plain ? text : fmt::format("({})({})", m_dialect.typeName(e->dtype), text);
}

std::string CExprWriter::binary(Expr e) {
    const DType type = e->dtype;
    if (e->kind >= ExprKind::Div && e->kind <= ExprKind::FloorMod && !isFloat(type)) return division(e);
    if (e->kind == ExprKind::FloorDiv || e->kind == ExprKind::FloorMod) {
        const std::string quotient = "(" + value(e->arg(0)) + "/" + value(e->arg(1)) + ")";
        std::string floored = std::string(isDouble(type) ? "floor" : "floorf") + quotient;
        if (e->kind == ExprKind::FloorDiv) return floored;
        return "(" + value(e->arg(0)) + " - " + floored + "*" + value(e->arg(1)) + ")";
    }
    const std::string a = value(e->arg(0));
    const std::string b = value(e->arg(1));
    if (e->kind == ExprKind::Min || e->kind == ExprKind::Max) {
        const std::string name = e->kind == ExprKind::Min ? "min_" : "max_";
        if (!isFloat(type)) return helperCall(integerHelper(name + "int", type), a, b);
        // A constant first: then nothing is asked but whether it is the one, and the processor has that instruction.
        const bool constantFirst = isImm(e->arg(1)) && !isImm(e->arg(0));
        return helperCall(name + (isDouble(type) ? "double" : "float"), constantFirst ? b : a, constantFirst ? a : b);
    }
    if (e->kind == ExprKind::Mod && isFloat(type))
        return std::string(isDouble(type) ? "fmod" : "fmodf") + "(" + a + ", " + b + ")";
    std::string plain = "(" + a + " " + std::string(infix(e->kind)) + " " + b + ")";
    const bool arithmetic = e->kind == ExprKind::Add || e->kind == ExprKind::Sub || e->kind == ExprKind::Mul;
    if (!arithmetic || isFloat(type) || !mayWrap(e, rangeOf(e->arg(0)), rangeOf(e->arg(1)))) return plain;
    // Elements wrap around; signed overflow would be undefined in C.
    const std::string_view bits = m_dialect.unsignedName(type == DType::Int64 ? 64 : 32);
    return fmt::format("({})(({})({}) {} ({})({}))", m_dialect.typeName(type), bits, a, infix(e->kind), bits, b);
}

std::string CExprWriter::tableElement(Expr e) {
    constexpr size_t shortest = 4; // rows of fewer selects are easier to read where they are
    constexpr int64_t maxElements = 4096;
    const std::optional<ConstantChoice> choice = constantChoice(e, [&](Expr index) { return value(index); });
    if (!choice || choice->cases.size() < shortest || choice->indices.empty() || choice->indices.size() > 2) return {};
    std::string extents;
    std::string place;
    std::vector<Interval> ranges;
    int64_t elements = 1;
    for (const Expr index : choice->indices) {
        const Interval range = rangeOf(index);
        if (range.min < 0 || range.max >= maxElements) return {};
        elements *= range.max + 1;
        if (elements > maxElements) return {};
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
        name = m_names.uniqueInFile("constants");
        m_tables.push_back(
            fmt::format("{} {} {}{} = {{", m_dialect.tableQualifiers(), valueType(e->dtype), name, extents));
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
    std::vector<std::string> args;
    for (const Expr arg : e->operands()) args.push_back(value(arg));
    if (std::string own = m_dialect.call(e, args); !own.empty()) return own;
    const std::string &x = args[0];
    switch (e->intrinsic) {
    case Intrinsic::Rsqrt:
        return "(" + one + "/sqrt" + suffix + "(" + x + "))";
    case Intrinsic::Sigmoid:
        return "(" + one + "/(" + one + " + exp" + suffix + "(-(" + x + "))))";
    case Intrinsic::Exp10:
        return "pow" + suffix + "(10.0" + suffix + ", " + x + ")";
    case Intrinsic::Isnan:
        return isFloat(e->arg(0)->dtype) ? "(isnan(" + x + ") != 0)" : "false";
    case Intrinsic::ShiftLeft:
        return fmt::format("({})(({})({}) << (({}) & {}))", m_dialect.typeName(type), m_dialect.unsignedName(64), x,
                           args[1], dtypeBytes(type) * 8 - 1);
    case Intrinsic::ShiftRight:
        return fmt::format("(({}) >> (({}) & {}))", x, args[1], dtypeBytes(type) * 8 - 1);
    case Intrinsic::BitwiseAnd:
        return "(" + x + " & " + args[1] + ")";
    case Intrinsic::BitwiseOr:
        return "(" + x + " | " + args[1] + ")";
    case Intrinsic::BitwiseXor:
        return "(" + x + " ^ " + args[1] + ")";
    default:
        break;
    }
    const std::string_view bits = m_dialect.unsignedName(type == DType::Int64 ? 64 : 32);
    if (!isFloat(type)) // of whole numbers
        return e->intrinsic == Intrinsic::Fabs && !isUnsigned(type)
                   ? fmt::format("({})({} < 0 ? 0 - ({})({}) : ({})({}))", m_dialect.typeName(type), x, bits, x, bits,
                                 x)
                   : x;
    const char *name = mathFunctionName(e->intrinsic);
    LOOPSCOPE_CHECK(name != nullptr, std::string(intrinsicName(e->intrinsic)));
    std::string text = std::string(name) + suffix + "(" + x;
    for (size_t i = 1; i < args.size(); ++i) text += ", " + args[i];
    return text + ")";
}

} // namespace loopscope
