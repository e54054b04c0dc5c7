#include "language/expr/readable_text.h"

#include <cstdio>
#include <utility>

namespace loopscope {

namespace {

/// 0 = written as a function.
int precedence(ExprKind kind) {
    switch (kind) {
    case ExprKind::Mul:
    case ExprKind::Div:
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod:
        return 5;
    case ExprKind::Add:
    case ExprKind::Sub:
        return 4;
    case ExprKind::And:
        return 2;
    case ExprKind::Or:
        return 1;
    case ExprKind::Mod:
    case ExprKind::Min:
    case ExprKind::Max:
        return 0;
    default:
        return 3; // comparisons
    }
}

class Writer {
  public:
    std::string text;

    /// `least`: what binds less tightly stands in parentheses.
    void write(Expr e, int least) {
        if (isBinary(e->kind)) return writeBinary(e, least);
        switch (e->kind) {
        case ExprKind::IntImm:
            text += e->dtype != DType::Bool ? std::to_string(e->intValue) : e->intValue != 0 ? "true" : "false";
            return;
        case ExprKind::FloatImm: {
            char digits[40];
            std::snprintf(digits, sizeof digits, "%g", e->floatValue);
            text += digits;
            return;
        }
        case ExprKind::Cast:
            return writeCall(dtypeName(e->dtype), e);
        case ExprKind::Not:
            text += '!';
            return write(e->arg(0), kTightest);
        case ExprKind::Select:
            return writeCall("select", e);
        case ExprKind::Call:
            return writeCall(intrinsicName(e->intrinsic), e);
        case ExprKind::Load:
            text += e->symbol->name;
            return writeList(e, '[', ']');
        case ExprKind::Let:
            text += "let(";
            write(e->arg(0), 0);
            text += " = ";
            write(e->arg(1), 0);
            text += "; ";
            write(e->arg(2), 0);
            text += ')';
            return;
        default:
            appendText(text, e); // names and strings
        }
    }

  private:
    static constexpr int kTightest = 6;

    void writeBinary(Expr e, int least) {
        const int own = precedence(e->kind);
        if (own == 0) return writeCall(operatorText(e->kind), e);
        if (own < least) text += '(';
        write(e->arg(0), own == 3 ? own + 1 : own); // comparisons do not chain
        text += ' ';
        text += operatorText(e->kind);
        text += ' ';
        write(e->arg(1), own + 1);
        if (own < least) text += ')';
    }

    void writeCall(std::string_view name, Expr e) {
        text += name;
        writeList(e, '(', ')');
    }

    void writeList(Expr e, char open, char close) {
        text += open;
        bool first = true;
        for (const Expr &item : e->operands()) {
            if (!first) text += ", ";
            first = false;
            write(item, 0);
        }
        text += close;
    }
};

} // namespace

std::string_view operatorText(ExprKind kind) {
    switch (kind) {
    case ExprKind::Add:
        return "+";
    case ExprKind::Sub:
        return "-";
    case ExprKind::Mul:
        return "*";
    case ExprKind::Div:
        return "/";
    case ExprKind::Mod:
        return "truncmod";
    case ExprKind::FloorDiv:
        return "//";
    case ExprKind::FloorMod:
        return "%";
    case ExprKind::Min:
        return "min";
    case ExprKind::Max:
        return "max";
    case ExprKind::Eq:
        return "==";
    case ExprKind::Ne:
        return "!=";
    case ExprKind::Lt:
        return "<";
    case ExprKind::Le:
        return "<=";
    case ExprKind::Gt:
        return ">";
    case ExprKind::Ge:
        return ">=";
    case ExprKind::And:
        return "&&";
    default:
        return "||";
    }
}

std::string readableText(Expr e) {
    Writer writer;
    writer.write(e, 0);
    return std::move(writer.text);
}

} // namespace loopscope
