// Text of expressions as TVM prints them: part of the task key, so every blank counts.

#include "language/expr/expr.h"
#include "language/expr/readable_text.h"

#include <cmath>
#include <cstdio>

namespace loopscope {

namespace {

/// Where TVM's spelling is not that of `.te`: divisions that round down are functions, `%` is the one that truncates.
std::string_view operatorName(ExprKind kind) {
    switch (kind) {
    case ExprKind::Mod:
        return "%";
    case ExprKind::FloorDiv:
        return "floordiv";
    case ExprKind::FloorMod:
        return "floormod";
    default:
        return operatorText(kind);
    }
}

bool writtenAsFunction(ExprKind kind) {
    return kind == ExprKind::FloorDiv || kind == ExprKind::FloorMod || kind == ExprKind::Min || kind == ExprKind::Max;
}

void appendBinary(std::string &out, Expr e) {
    const bool function = writtenAsFunction(e->kind);
    const bool tight = e->kind == ExprKind::Mul || e->kind == ExprKind::Div;
    if (function) out += operatorName(e->kind);
    out += '(';
    appendText(out, e->arg(0));
    if (function) {
        out += ", ";
    } else {
        if (!tight) out += ' ';
        out += operatorName(e->kind);
        if (!tight) out += ' ';
    }
    appendText(out, e->arg(1));
    out += ')';
}

void appendList(std::string &out, std::span<const Expr> items) {
    for (size_t i = 0; i < items.size(); ++i) {
        if (i > 0) out += ", ";
        appendText(out, items[i]);
    }
}

} // namespace

void appendQuoted(std::string &out, std::string_view text) {
    out += '"';
    for (const char c : text) {
        if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else {
            if (c == '"' || c == '\\') out += '\\';
            out += c;
        }
    }
    out += '"';
}

std::string floatText(double value, DType type) {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%g", value);
    std::string text = digits;
    if (type == DType::Float32) text += 'f';
    if (type == DType::Float16 || type == DType::BFloat16) text += 'h';
    return text;
}

void appendText(std::string &out, Expr e) {
    switch (e->kind) {
    case ExprKind::IntImm:
        if (e->dtype != DType::Int32) (out += '(') += std::string(dtypeName(e->dtype)) + ")";
        out += std::to_string(e->intValue);
        return;
    case ExprKind::FloatImm:
        // Of -0 without its sign: TVM writes the negative of x as 0 - x, which ours are -0 - x, and task keys are of
        // this.
        out += floatText(e->floatValue == 0 ? 0 : e->floatValue, e->dtype);
        return;
    case ExprKind::Var:
        out += e->text;
        return;
    case ExprKind::Cast:
        out += dtypeName(e->dtype);
        out += '(';
        appendText(out, e->arg(0));
        out += ')';
        return;
    case ExprKind::Not:
        out += '!';
        appendText(out, e->arg(0));
        return;
    case ExprKind::Select:
        out += "select(";
        appendList(out, e->operands());
        out += ')';
        return;
    case ExprKind::Call:
        out += "tir.";
        out += intrinsicName(e->intrinsic);
        out += '(';
        appendList(out, e->operands());
        out += ')';
        return;
    case ExprKind::Load:
        out += e->symbol->name;
        out += '[';
        appendList(out, e->operands());
        out += ']';
        return;
    case ExprKind::Let:
        out += "(let ";
        appendText(out, e->arg(0));
        out += " = ";
        appendText(out, e->arg(1));
        out += " in ";
        appendText(out, e->arg(2));
        out += ')';
        return;
    default:
        return appendBinary(out, e);
    }
}

std::string toText(Expr e) {
    std::string out;
    appendText(out, e);
    return out;
}

bool structurallyEqual(Expr a, Expr b) {
    if (a.is(b)) return true;
    if (a->kind != b->kind || a->dtype != b->dtype || a->argCount != b->argCount) return false;
    switch (a->kind) {
    case ExprKind::Var:
        return false;
    case ExprKind::IntImm:
        return a->intValue == b->intValue;
    case ExprKind::FloatImm:
        return a->floatValue == b->floatValue || (std::isnan(a->floatValue) && std::isnan(b->floatValue));
    case ExprKind::Load:
        if (a->symbol != b->symbol) return false;
        break;
    case ExprKind::Call:
        if (a->intrinsic != b->intrinsic) return false;
        break;
    default:
        break;
    }
    for (size_t i = 0; i < a->argCount; ++i)
        if (!structurallyEqual(a->arg(i), b->arg(i))) return false;
    return true;
}

} // namespace loopscope
